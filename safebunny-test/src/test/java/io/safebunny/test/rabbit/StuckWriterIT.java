// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nobody reads what is written: socket buffers fill, and a thread that writes stays in the socket. */
@Timeout(120)
class StuckWriterIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final int CALLERS = 40;

    private final ProxiedPublisher publisher = new ProxiedPublisher(TestBroker.shared(), 8, TIMEOUT).start();

    @AfterEach
    void cleanUp() {
        publisher.deleteAll();
        publisher.close();
    }

    @Test
    void everyCallerIsBackASecondAfterItsDeadlineWhenTheNetworkStalls() {
        publisher.proxy.stall();

        assertAllAreBackInTime(callers("stalled"));

        publisher.proxy.resume();
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(publisher.send("afterwards")).succeedsWithin(TIMEOUT));
        assertThat(publisher.transport.status().usable()).isTrue();
    }

    @Test
    void closesInAFewSecondsWithThreadsInTheSocket() {
        publisher.proxy.stall();
        List<CompletableFuture<Duration>> callers = callers("closing");
        await().during(Duration.ofMillis(500)).until(() -> callers.stream().noneMatch(CompletableFuture::isDone));
        long start = System.nanoTime();

        publisher.transport.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        assertThat(callers).allSatisfy(caller -> assertThat(caller).succeedsWithin(Duration.ofSeconds(1)));
    }

    /** Each tells how long it took to fail. */
    private List<CompletableFuture<Duration>> callers(String prefix) {
        List<CompletableFuture<Duration>> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            String id = prefix + "-" + i;
            callers.add(CompletableFuture.supplyAsync(() -> fail(id), publisher.threads));
        }
        return callers;
    }

    private Duration fail(String id) {
        long start = System.nanoTime();
        CompletableFuture<Void> sent = publisher.send(id, new byte[256 * 1024]);
        Throwable failure = sent.handle((none, thrown) -> thrown).join();
        assertThat(failure).isInstanceOfAny(PublishTimeoutException.class, ConnectionLostException.class);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static void assertAllAreBackInTime(List<CompletableFuture<Duration>> callers) {
        assertThat(callers).allSatisfy(caller -> assertThat(caller)
                .succeedsWithin(TIMEOUT.plusSeconds(5))
                .satisfies(took -> assertThat(took).isLessThan(TIMEOUT.plusSeconds(1))));
    }
}
