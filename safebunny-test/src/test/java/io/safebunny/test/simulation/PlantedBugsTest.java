// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.spi.store.ForwardingMessageStore;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.ForwardingTransport;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Transport;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** What the simulation must find, planted one at a time. */
class PlantedBugsTest {

    private final Logger log = (Logger) LoggerFactory.getLogger("io.safebunny");

    @BeforeEach
    void beSilent() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        log.setLevel(null);
    }

    private static final int SCHEDULES = 5_000;
    private static final int MOST_EVENTS = 12;

    static Stream<Arguments> bugs() {
        return Stream.of(
                Arguments.of("no fence", decisions(system -> system.stores(WithoutFence::new))),
                Arguments.of("read, then create", decisions(system -> system.stores(ReadsThenCreates::new))),
                bug(
                        "acknowledged early",
                        system -> system.transports((transport, timeline) -> new AcknowledgesEarly(transport))),
                bug("confirmed early", system -> system.transports(ConfirmsEarly::new)),
                bug("an effect without a key", system -> {}, node -> new Billing(node, null)),
                bug(
                        "an effect with a random key",
                        system -> {},
                        node -> new Billing(node, () -> UUID.randomUUID().toString())));
    }

    private static Arguments bug(String name, Consumer<SimulatedSystem> plant) {
        return bug(name, plant, node -> new Orders.Billing(node));
    }

    private static Arguments bug(
            String name, Consumer<SimulatedSystem> plant, java.util.function.Function<SimulatedNode, Object> billing) {
        return Arguments.of(name, Simulation.of(system -> {
            Orders.declare(system, billing);
            plant.accept(system);
        }));
    }

    private static Simulation decisions(Consumer<SimulatedSystem> plant) {
        return Simulation.of(system -> {
            Decisions.declare(system);
            plant.accept(system);
        });
    }

    static void declareWithoutKey(SimulatedSystem system) {
        Orders.declare(system, node -> new Billing(node, null));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bugs")
    void isFound(String name, Simulation simulation) {
        Finding finding = simulation.explore(SCHEDULES, 1);

        assertThat(finding).isNotNull();
        assertThat(Objects.requireNonNull(finding).schedule().events()).hasSizeLessThanOrEqualTo(MOST_EVENTS);
    }

    record Billing(SimulatedNode node, java.util.function.@Nullable Supplier<String> key) {
        @BunnyHandler(from = "storefront")
        void on(Orders.OrderPlaced placed, MessageContext context) {
            if (key == null) {
                node.perform("charge " + placed.order());
            } else {
                node.perform("charge " + placed.order(), key.get());
            }
            var unused = node.bunny().publish(new Orders.PaymentCaptured(placed.order()));
        }
    }

    private static final class WithoutFence extends ForwardingMessageStore {
        WithoutFence(Timeline timeline) {
            super(new MemoryMessageStore(timeline, Duration.ofDays(7)));
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            MessageRecord stored = find(record.key());
            return stored == null ? null : super.replace(record.withVersion(stored.version() + 1));
        }
    }

    /** Two rows for one message, when two read at once that there is none. */
    private static final class ReadsThenCreates extends ForwardingMessageStore {
        private final Timeline timeline;
        private final Map<String, MessageRecord> seconds = new HashMap<>();

        ReadsThenCreates(Timeline timeline) {
            super(new MemoryMessageStore(timeline, Duration.ofDays(7)));
            this.timeline = timeline;
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            MessageRecord stored = find(record.key());
            if (stored != null) {
                return stored;
            }
            sleep(timeline, Duration.ofMillis(1));
            MessageRecord other = super.create(record);
            if (!other.owner().equals(record.owner())) {
                seconds.put(record.owner(), record);
            }
            return record;
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            return seconds.replace(record.owner(), record) == null ? super.replace(record) : record;
        }
    }

    private static void sleep(Timeline timeline, Duration duration) {
        try {
            timeline.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class AcknowledgesEarly extends ForwardingTransport {
        AcknowledgesEarly(Transport transport) {
            super(transport);
        }

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            return super.consume(queue, prefetch, delivery -> {
                delivery.acknowledge();
                handler.handle(new Acknowledged(delivery.message()));
            });
        }
    }

    private record Acknowledged(IncomingMessage message) implements Delivery {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void acknowledge() {}

        @Override
        public void handBack() {}

        @Override
        public void reject() {}
    }

    /** Says at once that the broker has a message, which gets there a moment later, unless its process ends before. */
    private static final class ConfirmsEarly extends ForwardingTransport {
        private final Timeline timeline;

        ConfirmsEarly(Transport transport, Timeline timeline) {
            super(transport);
            this.timeline = timeline;
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            var unused = timeline.schedule(Duration.ofMillis(1), () -> {
                var sent = super.send(message, deadline);
                sent.join();
            });
            return CompletableFuture.completedFuture(null);
        }
    }
}
