// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.order.draining.WaitingKeys;
import io.safebunny.order.draining.WaitingKeys.Entry;
import io.safebunny.order.draining.WaitingKeys.Page;
import io.safebunny.order.draining.WaitingKeys.Query;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** The order keys of the node whose messages wait for one of them: lists them, and says what lets them go on. Thread-safe. */
final class OrderSection implements Section {

    private static final int SHOWN = 50;
    private static final int MOST_SHOWN = 100;

    private static final String TYPE = "type";
    private static final String STATE = "state";
    private static final String AFTER = "after";
    private static final String LIMIT = "limit";
    private static final String HELD = "held";

    private static final String OFF =
            "Node %s has no store, so it handles nothing in order. Set safebunny.store.type, and ordered = true at a @BunnyHandler.";

    private static final String DECIDE =
            "Nothing of these keys goes on by itself. For a head, GET safebunnystory/{head} tells why it failed. Send POST safebunnypoison {\"action\":\"replay\",\"messageId\":\"{head}\",\"dryRun\":true,\"reason\":\"REASON\"} once the cause is mended, or the same with \"discard\" to go on without it; then again without \"dryRun\".";

    private final @Nullable WaitingKeys keys;
    private final String node;

    /** @param keys {@code null} if the node has no store */
    OrderSection(@Nullable WaitingKeys keys, String node) {
        this.keys = keys;
        this.node = node;
    }

    @Override
    public Set<String> looksBy() {
        return Set.of(TYPE, STATE, AFTER, LIMIT);
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (!path.isEmpty()) {
            return null;
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("present", keys != null);
        if (keys == null) {
            view.put("note", OFF.formatted(node));
            return view;
        }
        boolean isHeld = !asked.containsKey(STATE)
                || Asked.oneOf(STATE, asked.get(STATE), List.of(HELD, "waiting"))
                        .equals(HELD);
        Page page = keys.page(new Query(
                asked.get(TYPE), isHeld, asked.get(AFTER), Asked.number(LIMIT, asked.get(LIMIT), SHOWN, MOST_SHOWN)));
        view.put("keys", page.keys().stream().map(OrderSection::shown).toList());
        view.put("scanned", page.scanned());
        view.put("next", page.next());
        view.put("crowded", page.crowded());
        view.put("note", isHeld && !page.keys().isEmpty() ? DECIDE : null);
        return view;
    }

    private static Map<String, Object> shown(Entry entry) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("key", entry.key());
        view.put(TYPE, entry.type());
        view.put(STATE, entry.state());
        view.put("head", entry.head());
        view.put("since", entry.since());
        view.put("dueAt", entry.dueAt());
        view.put("waiting", entry.waiting());
        view.put("full", entry.atLimit());
        return view;
    }
}
