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
import io.safebunny.poison.elsewhere.SetAside.Uncounted;
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
        return silent(
                instance,
                "its hints were heard lately, but it does not answer: it may have died since, have an older version, or a broker user that may not answer questions (docs/permissions.md)");
    }

    /** @param silence as a question to the instances of a node has it */
    private static OtherInstance silent(String instance, String silence) {
        return new OtherInstance(instance, "1.0", silence, List.of());
    }

    private static SetAside with(@Nullable Long copies, OtherInstance... others) {
        return new SetAside(
                copies == null ? OptionalLong.empty() : OptionalLong.of(copies),
                copies == null ? Uncounted.NOT_YET : null,
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
        is(with(1L), Level.DEGRADED, "1 message is set aside, in queue shop-poison");
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

    /** Of a restore, what it holds is of the archive; a replay of all that there is holds nothing between two copies. */
    @Test
    void saysOfAnOperationThatItHoldsSomeOnlyIfItDoes() {
        is(
                with(null, holds("shop-3", operation("op-9", Kind.RESTORE, RunState.RUNNING, 5))),
                Level.UNKNOWN,
                "Operation op-9 on poison messages runs at instance shop-3, and holds copies of the archive, 5 now. Look");
        is(
                with(null).whileRuns(operation("op-7", Kind.REPLAY, RunState.RUNNING, 0)),
                Level.UNKNOWN,
                "Operation op-7 on poison messages runs. Look at its progress; how many are set aside is known when it has ended.");
    }

    @Test
    void saysWhyThereIsNoNumber() {
        is(uncounted(Uncounted.NOT_YET), Level.UNKNOWN, "The broker has not told yet");
        is(uncounted(Uncounted.BROWSED), Level.UNKNOWN, "somebody looks, or has just looked, at those in shop-poison");
        is(uncounted(Uncounted.REFUSED), Level.UNKNOWN, "queue shop-poison does not exist, or the user");
        is(uncounted(Uncounted.FAILED), Level.UNKNOWN, "those in shop-poison could not be counted");
        is(
                uncounted(Uncounted.REFUSED, silent("shop-2")),
                Level.UNKNOWN,
                "queue shop-poison does not exist",
                "Whether instance shop-2 holds some is not known");
    }

    private static SetAside uncounted(Uncounted why, OtherInstance... others) {
        return new SetAside(OptionalLong.empty(), why, null, new OtherInstances(SINCE, null, Arrays.asList(others)));
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
                "The broker counts no message in shop-poison.",
                "Whether instance shop-2 holds some is not known (its hints were heard lately, but it does not answer: it may have died since, have an older version, or a broker user that may not answer questions (docs/permissions.md)).");
        is(
                with(0L, silent("shop-2", "busy with other questions: ask again")),
                Level.UNKNOWN,
                "Whether instance shop-2 holds some is not known (busy with other questions: ask again).");
        is(
                with(3L, silent("shop-2")),
                Level.DEGRADED,
                "3 messages are set aside",
                "Whether instance shop-2 holds some");
        OtherInstance[] many =
                IntStream.range(0, 10).mapToObj(i -> silent("shop-" + i)).toArray(OtherInstance[]::new);
        is(with(0L, many), Level.UNKNOWN, "shop-2", "Nor is it known for 7 more instances.");
        assertThat(with(0L, many).condition("shop-poison").words()).doesNotContain("shop-3");
    }

    @Test
    void saysIfTheOthersCouldNotBeAsked() {
        is(
                new SetAside(
                        OptionalLong.of(0),
                        null,
                        null,
                        new OtherInstances(SINCE, "no permission", List.of(silent("shop-2")))),
                Level.UNKNOWN,
                "The broker counts no message in shop-poison. Whether another instance holds some is not known: no permission.");
    }
}
