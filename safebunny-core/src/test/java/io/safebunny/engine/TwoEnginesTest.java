// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.Outbox;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A bridge: what a node handles it publishes as another node, which has an engine and a broker of its own in the same JVM. */
class TwoEnginesTest {

    private final RecordingTransport hereTransport = new RecordingTransport();
    private final RecordingTransport thereTransport = new RecordingTransport();
    private final SafeBunnyEngine here = engine("billing", hereTransport, null);
    private final SafeBunnyEngine there = engine("gateway", thereTransport, null);

    private static SafeBunnyEngine engine(String node, RecordingTransport transport, @Nullable Outbox outbox) {
        return new SafeBunnyEngine(
                SafeBunnyParts.builder(SafeBunnyOptions.of(node), transport, VirtualTimeline.skipping())
                        .outbox(outbox)
                        .build());
    }

    /** Handles one message of the one engine. */
    private void handling(HandlerInvoker handler) {
        there.start(List.of());
        here.start(List.of(new HandlerDefinition(
                "bridge.on(OrderPlaced)",
                "OrderPlaced",
                OrderPlaced.class,
                List.of("orders"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                handler)));
        hereTransport.deliver(
                new RecordedDelivery("billing-OrderPlaced", Wires.orderPlaced().wire()));
        assertThat(hereTransport.poisoned()).isEmpty();
    }

    private static Envelope read(OutboundMessage message) {
        return EnvelopeReader.read(message.message());
    }

    @Test
    void whatTheOtherPublishesIsSentAtOnceByTheOther() {
        handling((payload, context) -> {
            there.bunny().publish(new PaymentCaptured("1"));
            assertThat(thereTransport.published()).hasSize(1);
        });

        assertThat(hereTransport.published()).isEmpty();
        assertThat(read(thereTransport.published().get(0)).node()).isEqualTo("gateway");
    }

    @Test
    void whatTheOtherPublishesBelongsToNoSagaOfTheFirst() {
        handling((payload, context) -> {
            there.bunny().publish(new PaymentCaptured("1"));
            there.bunny().publishNow(new PaymentCaptured("2"));
            assertThat(there.bunny()
                            .publishAsync(new PaymentCaptured("3"))
                            .join()
                            .messageId())
                    .hasSize(36);
        });

        assertThat(thereTransport.published()).hasSize(3).allSatisfy(message -> {
            Envelope sent = read(message);
            assertThat(sent.causationId()).isNull();
            assertThat(sent.marker()).isEqualTo(1);
            assertThat(sent.correlationId()).isNotEqualTo(Wires.CORRELATION_ID);
        });
    }

    @Test
    void whatTheFirstPublishesIsCollectedAllTheSame() {
        handling((payload, context) -> {
            here.bunny().publish(new PaymentCaptured("1"));
            there.bunny().publish(new PaymentCaptured("2"));
            here.bunny().publish(new PaymentCaptured("3"));
            assertThat(hereTransport.published()).isEmpty();
        });

        assertThat(hereTransport.published()).hasSize(2).allSatisfy(message -> {
            assertThat(read(message).causationId()).isEqualTo(Wires.ID);
            assertThat(read(message).node()).isEqualTo("billing");
        });
    }

    @Test
    void theOtherPublishesWithinAStepOfTheFirst() {
        handling((payload, context) -> context.once("pass on", () -> {
            Published unused = there.bunny().publish(new PaymentCaptured("1"));
        }));

        assertThat(thereTransport.published()).hasSize(1);
    }

    @Test
    void aRepeatPublishesTheSameIdWhenItIsGivenAKey() {
        handling((payload, context) -> {
            PublishOptions options = PublishOptions.none()
                    .withCorrelationId(context.correlationId())
                    .withIdempotencyKey(context.messageId());
            there.bunny().publish(new PaymentCaptured("1"), options);
            there.bunny().publish(new PaymentCaptured("1"), options);
        });

        assertThat(thereTransport.published())
                .extracting(message -> read(message).id())
                .hasSize(2)
                .containsOnly(read(thereTransport.published().get(0)).id());
    }

    @Test
    void theOthersOutboxIsAskedAsOutsideOfAHandler() {
        List<OutboundMessage> stored = new ArrayList<>();
        Bunny withOutbox = engine("gateway", thereTransport, new Outbox() {
                    @Override
                    public List<Unsent> findCorrelated(String correlationId, int limit) {
                        return List.of();
                    }

                    @Override
                    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
                        return List.of();
                    }

                    @Override
                    public boolean add(OutboundMessage message) {
                        return stored.add(message);
                    }

                    @Override
                    public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {}

                    @Override
                    public void stop() {}
                })
                .bunny();
        handling((payload, context) -> {
            Published unused = withOutbox.publish(new PaymentCaptured("1"));
        });

        assertThat(stored).hasSize(1);
        assertThat(hereTransport.published()).isEmpty();
        assertThat(thereTransport.published()).isEmpty();
    }

    @Test
    void handlingBesideEachOtherOnOneThreadIsKeptApart() {
        there.start(List.of(new HandlerDefinition(
                "gateway.on(PaymentCaptured)",
                "PaymentCaptured",
                PaymentCaptured.class,
                List.of("billing"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {
                    there.bunny().publish(new OrderPlaced("there", 1));
                    here.bunny().publish(new OrderPlaced("of the outer handling", 1));
                })));
        handling((payload, context) -> {
            here.bunny().publish(new PaymentCaptured("before"));
            thereTransport.deliver(new RecordedDelivery(
                    "gateway-PaymentCaptured",
                    Wires.orderPlaced().with("type", "PaymentCaptured").wire()));
            here.bunny().publish(new PaymentCaptured("after"));
            assertThat(hereTransport.published()).isEmpty();
            assertThat(thereTransport.published()).hasSize(1);
        });

        assertThat(hereTransport.published())
                .extracting(message -> read(message).type())
                .containsExactly("PaymentCaptured", "OrderPlaced", "PaymentCaptured");
    }
}
