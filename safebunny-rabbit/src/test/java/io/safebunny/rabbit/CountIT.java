// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.PoisonMessageException;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonGroup;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A count of a long poison queue, which takes every copy, and from which every copy comes back. The property {@code count.copies} sets how
 * many there are.
 */
@Timeout(900)
@TestInstance(Lifecycle.PER_CLASS)
@Tag("once")
class CountIT {

    record Ping(int number) {}

    private static final Logger LOG = LoggerFactory.getLogger(CountIT.class);
    private static final int COPIES = Integer.getInteger("count.copies", 3_000);
    private static final int EXCEPTIONS = 40;
    private static final int PIPELINED = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final ConditionFactory WITHIN = await().atMost(Duration.ofMinutes(2));

    private final RabbitBench rabbit = new RabbitBench();
    private final SystemTimeline timeline = new SystemTimeline("count");
    private final String node = "count." + UUID.randomUUID().toString().substring(0, 8);
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final RabbitTransport transport = rabbit.transport(node);
    private final SafeBunnyEngine engine = engine(transport);

    private SafeBunnyEngine engine(Transport over) {
        return new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(node), over, timeline)
                .store(store)
                .callbacks(rabbit.workers())
                .build());
    }

    @BeforeAll
    void setAside() {
        start(engine);
        List<CompletableFuture<Void>> underway = new ArrayList<>();
        for (int i = 0; i < COPIES; i++) {
            underway.add(transport.send(copy(i), rabbit.deadline()));
            if (underway.size() == PIPELINED || i == COPIES - 1) {
                underway.forEach(CompletableFuture::join);
                underway.clear();
            }
        }
        awaitAll();
    }

    private void start(SafeBunnyEngine started) {
        started.start(List.of(new HandlerDefinition(
                "Ping",
                "Ping",
                Ping.class,
                List.of(node),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {
                    throw new PoisonMessageException("closed"); // so that it comes back
                })));
    }

    private OutboundMessage copy(int number) {
        Map<String, Object> headers = Map.of(
                Headers.POISON_QUEUE, node + "-Ping",
                Headers.POISON_REASON, "handler-failed",
                Headers.POISONED_AT, System.currentTimeMillis(),
                Headers.POISON_DIGEST, "digest-" + number,
                Headers.EXCEPTION_TYPE, "com.example.Failure" + number % EXCEPTIONS);
        WireMessage message = new WireMessage(
                "message-" + number,
                "order-" + number,
                "Ping",
                node,
                null,
                "application/json",
                null,
                headers,
                "{\"number\":1}".getBytes(StandardCharsets.UTF_8));
        return new OutboundMessage(message, new Route.Poison(node), Duration.ZERO);
    }

    @AfterAll
    void deleteQueues() {
        engine.stop(Duration.ofSeconds(10));
        rabbit.deleteQueues(node, "Ping");
        timeline.close();
        rabbit.close();
    }

    /** What was taken comes back some time after its channel was closed. */
    private void awaitAll() {
        WITHIN.untilAsserted(() -> assertThat(waiting()).isEqualTo(COPIES));
    }

    private long waiting() {
        long[] count = {0};
        rabbit.onBroker(channel -> count[0] = channel.messageCount(node + "-poison"));
        return count[0];
    }

    private static PoisonRequest all() {
        return PoisonRequest.of(PoisonFilter.all().withLimit(100_000), "test", "what is there?")
                .asDryRun();
    }

    private PoisonMessages poison() {
        return engine.get(PoisonMessages.class);
    }

    private void countsAll() throws InterruptedException {
        long before = System.nanoTime();
        PoisonOperation count = poison().replay(all());
        Progress progress = count.await(PATIENCE);
        LOG.info(
                "{} copies counted in {} ms",
                COPIES,
                Duration.ofNanos(System.nanoTime() - before).toMillis());

        assertThat(progress.failure()).isNull();
        assertThat(progress.state()).isEqualTo(RunState.ENDED);
        assertThat(progress.depth()).isEqualTo(COPIES);
        assertThat(progress.scanned()).isEqualTo(COPIES);
        assertThat(progress.matched()).isEqualTo(COPIES);
        assertThat(progress.missed()).isZero();
        assertThat(count.groups().others()).isZero();
        assertThat(count.groups().groups()).hasSizeBetween(EXCEPTIONS, EXCEPTIONS + 1); // some were replayed
        assertThat(count.groups().groups().stream()
                        .mapToInt(PoisonGroup::copies)
                        .sum())
                .isEqualTo(COPIES);
    }

    @Test
    void everyCopyIsCountedOnceAndComesBack() throws InterruptedException {
        countsAll();
        awaitAll();
        countsAll(); // in whatever order they are now
        awaitAll();
    }

    private PoisonOperation underway() {
        PoisonOperation count = poison().replay(all());
        WITHIN.until(() -> count.progress().scanned() > COPIES / 10);
        assertThat(count.progress().state()).isEqualTo(RunState.RUNNING);
        return count;
    }

    @Test
    void aCountThatIsStoppedPutsBackWhatItHasRead() throws InterruptedException {
        PoisonOperation count = underway();
        count.cancel();

        assertThat(count.await(PATIENCE).state()).isEqualTo(RunState.CANCELLED);
        assertThat(count.groups().groups()).isNotEmpty();
        awaitAll();
    }

    @Test
    void aCountWhoseConnectionIsLostHoldsNothing() throws InterruptedException {
        PoisonOperation count = underway();
        TestBroker.shared().closeConnection(node + ":consume");

        Progress progress = count.await(PATIENCE);
        assertThat(progress.state()).isEqualTo(RunState.FAILED);
        assertThat(progress.failureCode()).isEqualTo("SB-5015");
        awaitAll();
        WITHIN.ignoreExceptionsInstanceOf(BrowsingException.class) // until it is connected again
                .until(() -> !poison().list(PoisonFilter.all()).messages().isEmpty());
        awaitAll();
        countsAll();
        awaitAll();
    }

    /** Each gets what the other one has not taken. */
    @Test
    void aReplayOnAnotherInstanceLosesNothing() throws InterruptedException {
        SafeBunnyEngine another = engine(rabbit.transport(node + ":another"));
        start(another);
        PoisonOperation count = underway();
        Progress replayed = another.get(PoisonMessages.class)
                .replay(PoisonRequest.of(PoisonFilter.all().withLimit(100), "test", "beside the count"))
                .await(PATIENCE);
        Progress counted = count.await(PATIENCE);
        another.stop(Duration.ofSeconds(10));

        assertThat(replayed.moved()).isEqualTo(100);
        assertThat(counted.state()).isEqualTo(RunState.ENDED);
        assertThat(counted.matched() + counted.missed()).isEqualTo(COPIES);
        awaitAll();
    }
}
