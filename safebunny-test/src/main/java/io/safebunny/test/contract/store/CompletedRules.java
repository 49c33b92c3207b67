// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.keys;
import static io.safebunny.test.contract.store.StoreBench.replaced;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.contract.Messages;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Records of completed messages are found if their publications were not dispatched and the delivery never returned. Results may be
 * slightly stale, so the rules wait for them.
 */
interface CompletedRules {

    StoreBench bench();

    @Test
    default void findsCompletedRecordsOnly() {
        List<MessageRecord> completed = bench().created(RecordState.COMPLETED, 2);
        Stream.of(RecordState.values())
                .filter(state -> state != RecordState.COMPLETED)
                .forEach(state -> bench().created(state));

        awaitCompleted(Duration.ZERO, completed);
    }

    @Test
    default void findsCompletedRecordsOfItsNodeOnly() {
        MessageRecord there = bench().otherNode().create(claim(key(), "there"));
        replaced(bench().otherNode(), there.next(RecordState.COMPLETED));
        MessageRecord here = bench().created(RecordState.COMPLETED);

        awaitCompleted(Duration.ZERO, List.of(here));
    }

    @Test
    default void findsCompletedRecordsWithTheirPublications() {
        Route route = new Route.ToSubscribers("orders-OrderPlaced");
        List<OutboundMessage> outgoing = Stream.of(Messages.message("first"), Messages.rich("second"))
                .map(message -> new OutboundMessage(message, route, Duration.ZERO)
                        .withDroppedIfUnheard(true)
                        .deliveredAt(Instant.ofEpochMilli(1_234_567_890_123L), Duration.ofSeconds(5)))
                .toList();
        MessageRecord completed = bench().replaced(bench().created()
                .withSteps(Map.of("charge", "{\"id\":1}"))
                .next(RecordState.COMPLETED, outgoing));

        awaitCompleted(Duration.ZERO, List.of(completed));
        assertSame(bench().another().findCompleted(Duration.ZERO, 10).get(0), completed);
    }

    @Test
    default void findsCompletedRecordsOnlyWhenTheyDidNotChangeForSoLong() {
        MessageRecord old = bench().created(RecordState.COMPLETED);
        MessageRecord changedAgain = bench().created(RecordState.COMPLETED);
        bench().age(bench().retention().plusSeconds(1));
        bench().replaced(changedAgain.next(RecordState.COMPLETED));
        bench().created(RecordState.COMPLETED);

        awaitCompleted(bench().retention(), List.of(old));
    }

    @Test
    default void findsTheOldestCompletedRecordsFirstAndNoMoreThanTheLimit() {
        List<MessageRecord> completed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            completed.add(bench().created(RecordState.COMPLETED));
            bench().age(Duration.ofSeconds(1));
        }
        // the record that was created first is changed last
        MessageRecord youngest = bench().replaced(completed.remove(0).next(RecordState.COMPLETED));
        completed.add(youngest);

        bench().await().untilAsserted(() -> assertThat(keys(bench().store().findCompleted(Duration.ZERO, 10)))
                .containsExactlyElementsOf(keys(completed)));
        assertThat(keys(bench().store().findCompleted(Duration.ZERO, 3)))
                .containsExactlyElementsOf(keys(completed.subList(0, 3)));
    }

    private void awaitCompleted(Duration unchangedFor, List<MessageRecord> expected) {
        bench().await().untilAsserted(() -> assertThat(keys(bench().store().findCompleted(unchangedFor, 100)))
                .containsExactlyInAnyOrderElementsOf(keys(expected)));
    }
}
