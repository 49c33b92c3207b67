// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.OtherInstances.Operation;
import io.safebunny.poison.OtherInstances.OtherInstance;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.RunState;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is said of what is set aside: never that there is nothing while nobody knows. */
class SetAsideTest {

    private static final Instant SINCE = Instant.parse("2026-01-01T10:41:00Z");

    private static Operation operation(String id, Kind kind, RunState state, long held) {
        return new Operation(id, kind, state, false, SINCE, 5, 3, 3, 1, held);
    }

    private static OtherInstance holds(String instance, Operation... operations) {
        return new OtherInstance(instance, "1.0", null, List.of(operations));
    }

    private static OtherInstance silent(String instance) {
        return new OtherInstance(instance, "1.0", "has not answered within 2 s", List.of());
    }

    private static SetAside with(@Nullable Long copies, OtherInstance... others) {
        return new SetAside(
                copies == null ? OptionalLong.empty() : OptionalLong.of(copies),
                null,
                new OtherInstances(SINCE, null, Arrays.asList(others)));
    }

    private static void is(SetAside setAside, Level level, String... words) {
        NodeCondition condition = setAside.condition("shop-poison");
        assertThat(condition.level()).as(condition.words()).isEqualTo(level);
        assertThat(condition.words()).contains(words);
    }

    @Test
    void countsOnceAllHaveToldThatTheyHoldNone() {
        is(SetAside.UNKNOWN, Level.UNKNOWN, "The broker has not told yet");
        is(SetAside.NOTHING, Level.UP, "No message is set aside.");
        is(with(0L, holds("shop-2")), Level.UP, "No message is set aside.");
        is(with(null, holds("shop-2")), Level.UNKNOWN, "The broker has not told yet");
        is(with(1L), Level.DEGRADED, "1 message is set aside, see shop-poison");
        is(with(100_000L), Level.DEGRADED, "100000 messages are");
    }

    @Test
    void namesTheOperationThatHoldsCopiesHereOrElsewhere() {
        Operation here = operation("op-7", Kind.REPLAY, RunState.RUNNING, 2);
        is(
                with(0L).whileRuns(here),
                Level.UNKNOWN,
                "Operation op-7 on poison messages runs, and holds some of them, 2 now");
        OtherInstance other = holds("shop-2", operation("op-8", Kind.DISCARD, RunState.RUNNING, 4));
        is(
                with(null, other).whileRuns(here),
                Level.UNKNOWN,
                "op-7",
                "Operation op-8 on poison messages runs at instance shop-2, and holds some of them, 4 now");
        is(with(0L, holds("shop-2", operation("op-8", Kind.DISCARD, RunState.ENDED, 0))), Level.UP, "No message");
    }

    @Test
    void countsWhatIsHeldOfThePoisonQueueByAll() {
        SetAside setAside = with(
                        null,
                        holds("shop-2", operation("op-8", Kind.DISCARD, RunState.RUNNING, 4)),
                        holds("shop-3", operation("op-9", Kind.RESTORE, RunState.RUNNING, 40)))
                .whileRuns(operation("op-7", Kind.REPLAY, RunState.RUNNING, 2));

        assertThat(setAside.held()).isEqualTo(6);
        assertThat(SetAside.UNKNOWN.held()).isZero();
    }

    @Test
    void namesWhoHasNotAnswered() {
        is(
                with(0L, silent("shop-2"), holds("shop-3")),
                Level.UNKNOWN,
                "No message is in shop-poison.",
                "Whether instance shop-2 holds some is not known: it has not answered within 2 s.");
        is(
                with(3L, silent("shop-2")),
                Level.DEGRADED,
                "3 messages are set aside",
                "Whether instance shop-2 holds some");
        OtherInstance[] many =
                IntStream.range(0, 10).mapToObj(i -> silent("shop-" + i)).toArray(OtherInstance[]::new);
        is(with(0L, many), Level.UNKNOWN, "shop-2", "Nor is it known of 7 more instances.");
        assertThat(with(0L, many).condition("shop-poison").words()).doesNotContain("shop-3");
    }

    @Test
    void saysIfTheOthersCouldNotBeAsked() {
        is(
                new SetAside(
                        OptionalLong.of(0),
                        null,
                        new OtherInstances(SINCE, "no permission", List.of(silent("shop-2")))),
                Level.UNKNOWN,
                "No message is in shop-poison. Whether another instance holds some is not known: no permission.");
    }
}
