// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import io.safebunny.node.Node;
import io.safebunny.operations.questions.Heard;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.OtherInstances.OtherInstance;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Asks the other instances of this node for their operations on poison messages, and tells them those of this one. Thread-safe. */
public final class OtherOperations {

    static final String QUESTION = "operations";

    private static final String UNABLE = "runs a version that cannot say so";
    private static final String NOT_IN_TIME =
            "they were not asked in time, because this instance stops or has no thread for it: ask again";

    private static final String HELD = "another instance held copies, which nobody else sees meanwhile: ask again";

    /** How long an answer is told again. */
    static final Duration FRESH = Duration.ofSeconds(5);

    /** How old it may be for those who must not wait. */
    static final Duration LATELY = Duration.ofMinutes(1);

    /** Longer than a round of questions lasts. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Nodes nodes;
    private final Timeline timeline;
    private @Nullable CompletableFuture<Round> latest; // guarded by this, as is when it was asked
    private long askedAt;
    /** The last that has come of a round. */
    private volatile @Nullable Known known;

    /** @param own what this instance says; must be quick */
    public OtherOperations(Node node, Nodes nodes, Supplier<InstanceOperations> own) {
        this.nodes = nodes;
        this.timeline = node.timeline();
        nodes.answersSiblings(QUESTION, (about, within) -> own.get().json());
    }

    /**
     * What came of a round.
     *
     * @param said by those that have answered, by instance
     */
    record Round(OtherInstances told, Map<String, InstanceOperations> said) {

        /** Whether somebody holds copies. */
        boolean isBrowsing() {
            return said.values().stream().anyMatch(InstanceOperations::browses);
        }

        /** Whether nobody has browsed in between, as far as those that have answered both times say. */
        boolean isQuietUntil(Round later) {
            return !isBrowsing() && said.equals(later.said);
        }
    }

    /** @param at when the others were asked, of the clock that only goes on */
    private record Known(OtherInstances told, long at) {}

    /** Asks anew. Completes within about two seconds, on a worker, never exceptionally. */
    CompletableFuture<Round> ask() {
        Instant now = timeline.now();
        long at = timeline.nanoTime();
        return nodes.<InstanceOperations>askSiblings(QUESTION, InstanceOperations::read, UNABLE)
                .thenApply(heard -> {
                    Round round = round(now, heard);
                    known = new Known(round.told, at);
                    return round;
                });
    }

    private static Round round(Instant asOf, Heard<InstanceOperations> heard) {
        Map<String, InstanceOperations> said = new TreeMap<>();
        heard.instances().forEach(one -> {
            if (one.answer() != null) {
                said.put(one.instance(), one.answer());
            }
        });
        List<OtherInstance> instances = heard.instances().stream()
                .map(one -> new OtherInstance(
                        one.instance(),
                        one.version(),
                        one.answer() == null ? Objects.requireNonNullElse(one.note(), UNABLE) : null,
                        one.answer() == null ? List.of() : one.answer().operations()))
                .sorted(Comparator.comparing(OtherInstance::instance))
                .toList();
        return new Round(new OtherInstances(asOf, heard.problem(), instances), said);
    }

    /** What they say, or said a few seconds ago; blocks for about two seconds at most. */
    public OtherInstances told() {
        CompletableFuture<Round> round = shared();
        try {
            if (Deadline.after(PATIENCE, timeline).await(round)) {
                return round.join().told();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new OtherInstances(timeline.now(), NOT_IN_TIME, List.of());
    }

    /** What they said within the last minute, at once, while they are asked anew; otherwise like {@link #told}. */
    public OtherInstances toldLately() {
        CompletableFuture<Round> round = shared();
        Known last = known;
        return last == null || round.isDone() || timeline.nanoTime() - last.at > LATELY.toNanos() ? told() : last.told;
    }

    /**
     * Whether a look at copies has seen all: asks the others before and after it, as the broker does not give the copies that they hold.
     *
     * @param look says why it has not seen all; {@code null} if it has. Not called if others hold copies
     * @return why it has not seen all; {@code null} if it has, and nobody else has held any meanwhile
     */
    public @Nullable String whyNotAll(Supplier<@Nullable String> look) {
        Round before = asked();
        String why = whyNotAlone(before);
        if (before == null || why != null) {
            return why;
        }
        String seen = look.get();
        if (seen != null) {
            return seen;
        }
        Round after = asked();
        why = whyNotAlone(after);
        return why != null || after == null || before.isQuietUntil(after) ? why : HELD;
    }

    private static @Nullable String whyNotAlone(@Nullable Round round) {
        if (round == null) {
            return NOT_IN_TIME;
        }
        String problem = round.told.problem();
        if (problem != null) {
            return "it is not known whether other instances hold copies: " + problem;
        }
        String silent = round.told.instances().stream()
                .filter(one -> one.silence() != null)
                .map(OtherInstance::instance)
                .collect(Collectors.joining(", "));
        return !silent.isEmpty()
                ? "instance %s has not said whether it holds copies: ask again".formatted(silent)
                : round.isBrowsing() ? HELD : null;
    }

    private @Nullable Round asked() {
        CompletableFuture<Round> round = ask();
        try {
            return Deadline.after(PATIENCE, timeline).await(round) ? round.join() : null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private synchronized CompletableFuture<Round> shared() {
        CompletableFuture<Round> shared = latest;
        if (shared == null || timeline.nanoTime() - askedAt > FRESH.toNanos()) {
            askedAt = timeline.nanoTime();
            shared = ask();
            latest = shared;
        }
        return shared;
    }
}
