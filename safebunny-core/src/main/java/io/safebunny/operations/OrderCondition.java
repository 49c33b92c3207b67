// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneFigures;
import io.safebunny.order.lane.LaneFigures.Counted;
import io.safebunny.order.lane.LaneFigures.Full;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Whether messages that are handled in order need an operator. Pure. */
public final class OrderCondition {

    private static final String DECIDE =
            "Replay those messages once their cause is repaired, or discard their copies: see safebunnypoison.";

    private OrderCondition() {}

    /**
     * @param isOrdered {@code null} before the start
     * @param counted as of the last answer of the store; {@code null} before the first
     * @param problems sentences about shards that need a person
     */
    public static NodeCondition of(@Nullable Boolean isOrdered, @Nullable Counted counted, List<String> problems) {
        if (isOrdered == null) {
            return unknown("The node has not started yet.", "not started yet");
        }
        if (!isOrdered) {
            return new NodeCondition(
                    Level.UP,
                    "This node handles no messages in order.",
                    Map.of("detail", "this node handles no messages in order"));
        }
        if (counted == null) {
            return unknown("What waits in order has not been counted yet.", "not counted yet");
        }
        long held = sum(counted, LaneFigures::held);
        long full = sum(counted, LaneFigures::full);
        if (held == 0 && full == 0 && problems.isEmpty()) {
            return new NodeCondition(Level.UP, "No order key needs a person.", details(counted));
        }
        List<String> sentences = new ArrayList<>(problems);
        Map<String, Object> details = details(counted);
        if (!problems.isEmpty()) {
            details.put("shards", problems);
        }
        if (held > 0) {
            sentences.add("%s%s for a message that was set aside. %s"
                    .formatted(
                            counted.more() ? "At least " : "",
                            held == 1 ? "1 order key waits" : held + " order keys wait",
                            DECIDE));
        }
        counted.types().forEach((type, figures) -> {
            if (figures.full() > 0) {
                sentences.add(full(type, figures));
            }
        });
        return new NodeCondition(Level.DEGRADED, String.join(" ", sentences), details);
    }

    private static NodeCondition unknown(String words, String detail) {
        return new NodeCondition(Level.UNKNOWN, words, Map.of("detail", detail));
    }

    /** What stops, and what helps the first of the keys. */
    private static String full(String type, LaneFigures figures) {
        Full first = figures.fullest().get(0);
        String others = figures.full() == 1 ? "" : " and %s more".formatted(figures.full() - 1);
        return "%s is full for key %s%s, with %s messages behind the first: the next one keeps its place in the queue, and may stop all keys of the type. %s"
                .formatted(type, first.key(), others, Lane.MOST_PARKED, help(first));
    }

    private static String help(Full full) {
        if (full.held()) {
            return "Replay or discard message %s, or start a version with onPoison = SKIP.".formatted(full.head());
        }
        return full.head() == null
                ? "They are being handled, and there is room as they are."
                : "Message %s is tried again; there is room when it has been handled or set aside."
                        .formatted(full.head());
    }

    private static Map<String, Object> details(Counted counted) {
        Map<String, Object> details = new LinkedHashMap<>();
        counted.types().forEach((type, figures) -> details.put(type, details(figures)));
        if (counted.more()) {
            details.put("more", "only the 1,000 oldest of each kind are counted");
        }
        details.put("asOf", counted.asOf().toString());
        return details;
    }

    private static Map<String, Object> details(LaneFigures figures) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("held", figures.held());
        details.put("parked", figures.parked());
        Instant since = figures.since();
        if (since != null) {
            details.put("oldest", since.toString());
        }
        if (figures.full() > 0) {
            details.put("full", figures.full());
            details.put("keys", figures.fullest().stream().map(Full::key).toList());
        }
        return details;
    }

    private static long sum(Counted counted, ToLongFunction<LaneFigures> figure) {
        return counted.types().values().stream().mapToLong(figure).sum();
    }
}
