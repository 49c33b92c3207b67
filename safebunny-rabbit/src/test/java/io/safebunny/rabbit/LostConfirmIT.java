// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The connection is lost between a publication and its confirm. */
@Timeout(120)
class LostConfirmIT {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final ProxiedPublisher publisher =
            new ProxiedPublisher(TestBroker.shared(), 4, Duration.ofSeconds(30)).start();

    @BeforeEach
    void warmUp() {
        assertThat(publisher.send("warm-up")).succeedsWithin(SOON);
        publisher.idsInQueue();
    }

    @AfterEach
    void cleanUp() {
        publisher.deleteAll();
        publisher.close();
    }

    @Test
    void failsExactlyTheUnconfirmedOnes() {
        List<CompletableFuture<Void>> confirmed = IntStream.range(0, 50)
                .mapToObj(i -> publisher.send("confirmed-" + i))
                .toList();
        assertThat(confirmed).allSatisfy(sent -> assertThat(sent).succeedsWithin(SOON));

        publisher.proxy.cutAtNextConfirm();
        CompletableFuture<Void> unknown = publisher.send("unknown");

        assertThat(unknown)
                .failsWithin(SOON)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(ConnectionLostException.class)
                .withMessageContaining("id=unknown");
        assertThat(confirmed).allSatisfy(sent -> assertThat(sent).isCompleted());
        assertThat(publisher.idsInQueue()).hasSize(51).contains("unknown"); // it is there, and nobody could know
    }

    @Test
    void everyOneOfManyInFlightEndsAndWhatWasConfirmedIsThere() {
        Map<String, CompletableFuture<Void>> sent = new LinkedHashMap<>();
        publisher.proxy.cutAfterPublishes(500);
        for (int i = 0; i < 1_000; i++) {
            sent.put("id-" + i, publisher.send("id-" + i));
        }

        List<String> confirmed = new ArrayList<>();
        sent.forEach((id, future) -> {
            assertThat(future.handle((none, failure) -> failure))
                    .succeedsWithin(SOON)
                    .satisfiesAnyOf(failure -> assertThat(failure).isNull(), failure -> assertThat(failure)
                            .isInstanceOf(ConnectionLostException.class));
            if (!future.isCompletedExceptionally()) {
                confirmed.add(id);
            }
        });
        assertThat(confirmed).hasSizeLessThan(1_000);
        assertThat(publisher.idsInQueue()).doesNotHaveDuplicates().containsAll(confirmed);
    }

    @Test
    void theSenderSendsAgainWithTheSameId() {
        publisher.proxy.cutAtNextConfirm();
        ConfirmedSender sender = publisher.sender();

        sender.send(publisher.message("twice")).await();

        assertThat(publisher.idsInQueue()).containsExactly("twice", "twice");
    }

    @Test
    void theSenderLosesNoneOfManyInFlight() {
        ConfirmedSender sender = publisher.sender();
        publisher.proxy.cutAfterPublishes(300);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        List<String> ids = IntStream.range(0, 600).mapToObj(i -> "id-" + i).toList();
        ids.forEach(id -> sent.add(sender.send(publisher.message(id))));

        assertThat(sent).allSatisfy(future -> assertThat(future).succeedsWithin(SOON));
        assertThat(publisher.idsInQueue()).containsAll(ids);
    }

    @Test
    void theSenderGivesUpAtItsDeadlineAndSaysThatTheFateIsUnknown() {
        ConfirmedSender sender = new ConfirmedSender(
                publisher.transport, publisher.timeline, publisher.threads, Duration.ofSeconds(2), 10);
        publisher.proxy.refuse();
        publisher.proxy.cut();
        await().atMost(SOON).until(() -> !publisher.transport.status().usable());
        long start = System.nanoTime();

        assertThat(sender.send(publisher.message("lost")))
                .failsWithin(SOON)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(ConnectionLostException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(5));
    }
}
