// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.Bunny;
import io.safebunny.failure.NackedException;
import io.safebunny.fixture.ManualTimeline;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.message.Envelope;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.pipeline.MessageScope;
import io.safebunny.pipeline.Next;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.Handling;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.publishing.PublishingOptions;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.serialization.JsonMessageSerializer;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.store.memory.MemoryMessageStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeduplicationTest {

    private static final Envelope MESSAGE = Wires.orderPlaced().envelope();
    private static final Duration RETENTION = Duration.ofDays(7);

    private final ManualTimeline timeline = new ManualTimeline();
    private final RecordingTransport transport = new RecordingTransport();
    private final ConfirmedSender sender =
            new ConfirmedSender(transport, timeline, Runnable::run, Duration.ofSeconds(5), 1_000);
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, RETENTION);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Deduplication deduplication = new Deduplication(store, sender, new Metrics(meters));
    private final AtomicInteger runs = new AtomicInteger();
    private final Bunny bunny = new PipelineBunny(
            new PublishingOptions("billing", Duration.ofSeconds(5), 1_000),
            new LineageIdScheme(),
            new JsonMessageSerializer(),
            sender,
            timeline,
            new Observations(ObservationRegistry.NOOP),
            new MessageScope(),
            Runnable::run,
            List.of());

    private void deliver(Next handler) throws Exception {
        deliver(deduplication, handler);
    }

    private void deliver(Deduplication by, Next handler) throws Exception {
        Handling handling = new Handling(MESSAGE);
        by.run(
                handling,
                () -> handling.run(() -> {
                    runs.incrementAndGet();
                    handler.run();
                }));
    }

    private void publish() {
        assertThat(bunny.publish(new PaymentCaptured("o-1"))).hasSize(36);
        assertThat(transport.attempted())
                .as("sent before the handler succeeded")
                .isEmpty();
    }

    @Test
    void handlesAndDispatchesTheFirstDelivery() throws Exception {
        deliver(this::publish);

        assertThat(runs).hasValue(1);
        assertThat(transport.published()).hasSize(1);
    }

    @Test
    void suppressesADuplicate() throws Exception {
        deliver(this::publish);
        deliver(this::publish);
        deliver(this::publish);

        assertThat(runs).hasValue(1);
        assertThat(transport.published()).hasSize(1);
        assertThat(meters.counter("safebunny.dedup", "type", "OrderPlaced", "outcome", "hit")
                        .count())
                .isEqualTo(2);
    }

    @Test
    void publishesNothingOfAFailedHandlerAndLetsTheNextDeliveryTry() throws Exception {
        IOException failure = new IOException("failed");
        assertThatThrownBy(() -> deliver(() -> {
                    publish();
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(transport.attempted()).isEmpty();

        deliver(this::publish);

        assertThat(runs).hasValue(2);
        assertThat(transport.published()).hasSize(1);
    }

    @Test
    void releasesTheClaimAfterAnErrorToo() throws Exception {
        assertThatThrownBy(() -> deliver(() -> {
                    throw new StackOverflowError();
                }))
                .isInstanceOf(StackOverflowError.class);
        deliver(this::publish);

        assertThat(runs).hasValue(2);
    }

    @Test
    void makesADeliveryWaitWhileAnotherIsBeingHandled() throws Exception {
        deliver(() -> assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> deliver(() -> {}))
                .withMessageContaining(MESSAGE.id())
                .satisfies(e -> assertThat(e.delay()).isPositive()));

        assertThat(runs).hasValue(1);
        assertThat(meters.counter("safebunny.dedup", "type", "OrderPlaced", "outcome", "busy")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void onlyDispatchesWhatWasCompletedButNotDispatched() throws Exception {
        transport.answerNext(RecordingTransport.NACK);
        assertThatExceptionOfType(NackedException.class).isThrownBy(() -> deliver(this::publish));
        assertThat(transport.published()).isEmpty();

        deliver(this::publish);
        deliver(this::publish);

        assertThat(runs).hasValue(1);
        assertThat(transport.published()).hasSize(1);
        assertThat(transport.attempted().get(1)).isEqualTo(transport.attempted().get(0));
    }

    @Test
    void dispatchesAllAgainWhenOneOfThemFailed() throws Exception {
        transport.answerNext(RecordingTransport.CONFIRM, RecordingTransport.NACK);
        assertThatExceptionOfType(NackedException.class)
                .isThrownBy(() -> deliver(() -> {
                    bunny.publish(new PaymentCaptured("1"));
                    bunny.publish(new PaymentCaptured("2"));
                }));
        deliver(() -> {});

        assertThat(runs).hasValue(1);
        assertThat(transport.published())
                .extracting(message -> message.message().messageId())
                .hasSize(3)
                .containsOnly(
                        transport.attempted().get(0).message().messageId(),
                        transport.attempted().get(1).message().messageId());
    }

    @Test
    void forgetsAMessageAfterTheRetentionAndNotBefore() throws Exception {
        deliver(() -> {});
        timeline.advance(RETENTION.minusNanos(1));
        deliver(() -> {});
        assertThat(runs).hasValue(1);

        timeline.advance(Duration.ofNanos(1));
        deliver(() -> {});

        assertThat(runs).hasValue(2);
    }

    @Test
    void dropsThePublicationsOfAHandlerThatLostItsClaim() {
        RecordKey key = new RecordKey(MESSAGE.correlationId(), MESSAGE.id());

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> deliver(() -> {
                    publish();
                    // somebody else takes over
                    assertThat(store.replace(new MessageRecord(key, RecordState.CLAIMED, "another", 2, List.of())))
                            .isTrue();
                }))
                .withMessageContaining("Lost the claim");
        assertThat(transport.attempted()).isEmpty();
    }

    @Test
    void recognisesItsOwnClaimWhenTheAnswerOfTheCreationGotLost() throws Exception {
        MessageStore repeating = new MessageStore() {
            @Override
            public @Nullable MessageRecord create(MessageRecord record) {
                assertThat(store.create(record)).isNull();
                return store.create(record);
            }

            @Override
            public boolean replace(MessageRecord record) {
                return store.replace(record);
            }
        };
        deliver(new Deduplication(repeating, sender, new Metrics(meters)), this::publish);

        assertThat(runs).hasValue(1);
        assertThat(transport.published()).hasSize(1);
    }

    @Test
    void doesNotHandleWithoutAnAnswerOfTheStore() {
        MessageStore down = new MessageStore() {
            @Override
            public @Nullable MessageRecord create(MessageRecord record) {
                throw new IllegalStateException("store is down");
            }

            @Override
            public boolean replace(MessageRecord record) {
                throw new IllegalStateException("store is down");
            }
        };

        assertThatThrownBy(() -> deliver(new Deduplication(down, sender, new Metrics(meters)), this::publish))
                .isInstanceOf(RuntimeException.class);
        assertThat(runs).hasValue(0);
    }

    @Test
    void tellsMessagesOfTheSameIdInOtherSagasApart() throws Exception {
        deliver(() -> {});
        Handling other = new Handling(
                Wires.orderPlaced().with("correlation_id", "another").envelope());
        deduplication.run(other, runs::incrementAndGet);

        assertThat(runs).hasValue(2);
    }
}
