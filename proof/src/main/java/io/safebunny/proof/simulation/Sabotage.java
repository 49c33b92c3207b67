// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Stores and transports that do not keep their promises. */
final class Sabotage {

    private static final Duration RETENTION = Duration.ofDays(366);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private Sabotage() {}

    static MessageStore sound(Timeline timeline) {
        return new MemoryMessageStore(timeline, RETENTION);
    }

    /** Whoever writes last wins. */
    static MessageStore withoutFence(Timeline timeline) {
        return new ForwardingMessageStore(sound(timeline)) {
            @Override
            public @Nullable MessageRecord replace(MessageRecord record) {
                MessageRecord stored = find(record.key());
                return stored == null ? null : super.replace(record.withVersion(stored.version() + 1));
            }
        };
    }

    /** Its client repeats a write whose answer got lost, and mistakes its own record for somebody else's. */
    static MessageStore losingAnswers(Timeline timeline) {
        return new ForwardingMessageStore(sound(timeline)) {
            @Override
            public MessageRecord create(MessageRecord record) {
                MessageRecord created = super.create(record);
                return created.owner().equals(record.owner())
                        ? created.claimedBy("somebody", record.lease(), record.attempt(), 0)
                                .withVersion(created.version())
                        : created;
            }
        };
    }

    /** Creates two rows for one message when two readers find none at the same time. */
    static final class ReadsThenCreates extends ForwardingMessageStore {
        private final Timeline timeline;
        private final Map<String, MessageRecord> seconds = new HashMap<>();

        ReadsThenCreates(Timeline timeline) {
            super(sound(timeline));
            this.timeline = timeline;
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            MessageRecord stored = find(record.key());
            if (stored != null) {
                return stored;
            }
            sleep(timeline);
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

    private static void sleep(Timeline timeline) {
        try {
            timeline.sleep(MOMENT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static Transport acknowledgingEarly(Transport transport) {
        return new ForwardingTransport(transport) {
            @Override
            public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                return super.consume(queue, prefetch, delivery -> {
                    delivery.acknowledge();
                    handler.handle(new Acknowledged(delivery.message()));
                });
            }
        };
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

    /** Confirms a message before the broker has it; if the process ends in between, the message is lost. */
    static Transport confirmingEarly(Transport transport, Timeline timeline) {
        return new ForwardingTransport(transport) {
            @Override
            public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                var unused = timeline.schedule(MOMENT, () -> {
                    var sent = super.send(message, deadline);
                    sent.join();
                });
                return CompletableFuture.completedFuture(null);
            }
        };
    }

    /** Delivers delayed messages after half of their time. */
    static Transport delayingTooLittle(Transport transport) {
        return new ForwardingTransport(transport) {
            @Override
            public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                return super.send(
                        new OutboundMessage(
                                message.message(),
                                message.route(),
                                message.delay().dividedBy(2)),
                        deadline);
            }
        };
    }
}
