// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.publishing.ConfirmedSender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The broker has a memory alarm and blocks connections that publish. */
@Timeout(180)
class AlarmIT {

    private static final Duration SOON = Duration.ofSeconds(30);

    @RegisterExtension
    static final NodeOfClass NODE = new NodeOfClass();

    private static void block(ProxiedPublisher publisher) {
        NODE.memoryAlarm(true);
        CompletableFuture<Void> unused = publisher.send("first"); // only who publishes is blocked
        await().atMost(SOON).until(() -> !publisher.transport.status().usable());
        assertThat(publisher.transport.status().detail()).contains(publisher.node + ":publish", "alarm");
    }

    @Test
    void callersWaitAndNothingIsDropped() {
        try (ProxiedPublisher publisher =
                new ProxiedPublisher(NODE.get().broker(), 8, Duration.ofSeconds(60)).start()) {
            block(publisher);
            ConfirmedSender sender = publisher.sender();
            List<String> ids = IntStream.range(0, 200).mapToObj(i -> "id-" + i).toList();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            ids.forEach(id -> callers.add(CompletableFuture.runAsync(
                    () -> sender.send(publisher.message(id)).await(), publisher.threads)));
            await().during(Duration.ofSeconds(2)).until(() -> callers.stream().noneMatch(CompletableFuture::isDone));

            NODE.memoryAlarm(false);

            assertThat(callers).allSatisfy(caller -> assertThat(caller).succeedsWithin(SOON));
            assertThat(publisher.transport.status().usable()).isTrue();
            assertThat(publisher.idsInQueue())
                    .contains("first")
                    .containsAll(ids)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void callersWaitNoLongerThanTheirDeadline() {
        try (ProxiedPublisher publisher = new ProxiedPublisher(NODE.get().broker(), 8, Duration.ofSeconds(2)).start()) {
            block(publisher);
            long start = System.nanoTime();

            assertThat(CompletableFuture.runAsync(() -> publisher.send("late").join(), publisher.threads))
                    .failsWithin(SOON)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(PublishTimeoutException.class)
                    .withMessageContaining("memory or disk alarm");
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(1_900), Duration.ofSeconds(5));
        }
    }

    /** A place, a channel, and the connection: what one of them took the others do not have. */
    @Test
    void aCallerThatWaitsForEverythingWaitsNoLongerThanItsDeadlineAndASecond() {
        Duration timeout = Duration.ofSeconds(3);
        try (ProxiedPublisher publisher = new ProxiedPublisher(NODE.get().broker(), 1, timeout).start()) {
            block(publisher);
            ConfirmedSender sender =
                    new ConfirmedSender(publisher.transport, publisher.timeline, publisher.threads, timeout, 1);
            List<CompletableFuture<Duration>> callers = new ArrayList<>();
            for (int i = 0; i < 3; i++) { // the second gets the first one's place at about its own deadline
                String id = "id-" + i;
                callers.add(CompletableFuture.supplyAsync(
                        () -> waited(() -> sender.send(publisher.message(id)).await()), publisher.threads));
            }

            assertThat(callers).allSatisfy(caller -> assertThat(caller)
                    .succeedsWithin(SOON)
                    .satisfies(waited -> assertThat(waited).isBetween(timeout, timeout.plusSeconds(1))));
        }
    }

    private static Duration waited(Runnable failing) {
        long start = System.nanoTime();
        assertThatExceptionOfType(PublishTimeoutException.class).isThrownBy(failing::run);
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
