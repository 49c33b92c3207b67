// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.store.MessageStore;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays of messages that were set aside because their deadline had passed. */
class ExpiredReplayTest {

    static Stream<Named<Function<VirtualTimeline, @Nullable MessageStore>>> stores() {
        return Stream.of(
                Named.of("store", timeline -> new MemoryMessageStore(timeline, PoisonNode.RETENTION)),
                Named.of("none", timeline -> null));
    }

    @ParameterizedTest
    @MethodSource("stores")
    void areToldToHaveNoDeadlineAndAreHandled(Function<VirtualTimeline, @Nullable MessageStore> store) {
        PoisonNode node = new PoisonNode(store);
        node.timeline.advance(Duration.ofMinutes(5));
        node.send(
                Wires.orderPlaced()
                        .with("message_id", "o-1")
                        .withHeader(
                                "sb-deadline",
                                VirtualTimeline.START.plusSeconds(60).toEpochMilli())
                        .wire(),
                new Route.ToQueue(PoisonNode.QUEUE));
        assertThat(node.handled).isEmpty();

        assertThat(node.list()).singleElement().satisfies(copy -> {
            assertThat(copy.reason()).isEqualTo("expired");
            assertThat(copy.verdict()).isIn(Verdict.RUN, Verdict.REPEATS);
            assertThat(copy.explanation()).endsWith(" Its deadline is 2026-01-01T00:01:00Z; a replay has none.");
        });
        assertThat(node.replay(PoisonNode.everything()).moved()).isEqualTo(1);

        assertThat(node.handled).containsExactly("o-1");
        assertThat(node.list()).extracting(PoisonedMessage::reason).isEmpty();
    }
}
