// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.spi.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One fault each against {@link SettlementRules} and {@link FlowRules}. */
final class BrokenConsuming {

    private BrokenConsuming() {}

    @Breaks("neverDeliversAnAcknowledgedMessageAgain")
    static class ForgetsAcknowledgementsOnClose extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            Queue<IncomingMessage> acknowledged = new ConcurrentLinkedQueue<>();
            return new DeliveryBreaker(sound) {
                @Override
                Delivery broken(Delivery delivery) {
                    return new ForwardingDelivery(delivery) {
                        @Override
                        public void acknowledge() {
                            if (isOpen()) {
                                acknowledged.add(message());
                            }
                            super.acknowledge();
                        }
                    };
                }

                @Override
                public void close() {
                    super.close();
                    Transport other = soundTransport();
                    acknowledged.forEach(message -> sendAgain(other, message));
                    acknowledged.clear();
                }
            };
        }
    }

    @Breaks("deliversAgainWhatAClosedTransportLeftUnsettled")
    static class AcknowledgesOnItsOwnOnClose extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
            return new DeliveryBreaker(sound) {
                @Override
                Delivery broken(Delivery delivery) {
                    deliveries.add(delivery);
                    return delivery;
                }

                @Override
                public void close() {
                    deliveries.forEach(Delivery::acknowledge);
                    super.close();
                }
            };
        }
    }

    @Breaks("deliversAgainWhatWasHandedBack")
    static class SendsHandedBackMessagesAsNewOnes extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new DeliveryBreaker(sound) {
                @Override
                Delivery broken(Delivery delivery) {
                    AtomicInteger handedBack = new AtomicInteger();
                    return new ForwardingDelivery(delivery) {
                        @Override
                        public void handBack() {
                            if (isOpen() && handedBack.incrementAndGet() == 1) {
                                sendAgain(transport(), message());
                                super.acknowledge();
                            }
                        }
                    };
                }
            };
        }
    }

    @Breaks("ignoresWhatFollowsAnAcknowledgement")
    static class HandsBackWhatIsAcknowledged extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new DeliveryBreaker(sound) {
                @Override
                Delivery broken(Delivery delivery) {
                    AtomicBoolean acknowledged = new AtomicBoolean();
                    return new ForwardingDelivery(delivery) {
                        @Override
                        public void acknowledge() {
                            acknowledged.set(true);
                            super.acknowledge();
                        }

                        @Override
                        public void handBack() {
                            if (acknowledged.get()) {
                                sendAgain(transport(), message());
                            }
                            super.handBack();
                        }
                    };
                }
            };
        }
    }

    @Breaks("ignoresWhatFollowsAHandBack")
    static class LetsTheLastSettlementWin extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    return super.consume(queue, prefetch, delivery -> {
                        AtomicBoolean back = new AtomicBoolean();
                        handler.handle(new ForwardingDelivery(delivery) {
                            @Override
                            public void handBack() {
                                back.set(true);
                            }
                        });
                        if (back.get()) {
                            delivery.handBack();
                        }
                    });
                }
            };
        }
    }

    @Breaks("handlesUpToPrefetchDeliveriesAtOnceAndNotMore")
    static class TakesOneMoreThanPrefetch extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    return super.consume(queue, prefetch == 1 ? 1 : prefetch + 1, handler);
                }
            };
        }
    }

    @Breaks("movesWhatIsRejectedToTheDeadLettersAndFromThereToThePoisonQueue")
    static class AcknowledgesWhatIsRejected extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new DeliveryBreaker(sound) {
                @Override
                Delivery broken(Delivery delivery) {
                    return new ForwardingDelivery(delivery) {
                        @Override
                        public void reject() {
                            sound.acknowledge();
                        }
                    };
                }
            };
        }
    }

    @Breaks("doesNotLetOneBlockedHandlerHoldTheOtherPlaces")
    static class AcknowledgesInOrder extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    FirstOneFirst order = new FirstOneFirst();
                    return super.consume(queue, prefetch, delivery -> handler.handle(order.of(delivery)));
                }
            };
        }

        /** Holds acknowledgements until the first delivery is settled. */
        private static final class FirstOneFirst {
            private final List<Delivery> held = new ArrayList<>();
            private @Nullable Delivery first;

            synchronized Delivery of(Delivery delivery) {
                if (first == null) {
                    first = delivery;
                }
                return new ForwardingDelivery(delivery) {
                    @Override
                    public void acknowledge() {
                        settle(delivery);
                    }
                };
            }

            private synchronized void settle(Delivery delivery) {
                held.add(delivery);
                if (delivery == first || first == null || !first.isOpen()) {
                    held.forEach(Delivery::acknowledge);
                    held.clear();
                }
            }
        }
    }

    @Breaks("waitsForWhatIsRunningWhenStoppedAndTakesNothingNew")
    static class StopsWithoutWaiting extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    Consumption consumption = super.consume(queue, prefetch, handler);
                    return new ForwardingConsumption(consumption) {
                        @Override
                        public CompletableFuture<Void> stop() {
                            CompletableFuture<Void> ignored = sound.stop();
                            return ignored.isDone() ? ignored : CompletableFuture.completedFuture(null);
                        }
                    };
                }
            };
        }
    }

    @Breaks("waitsForWhatIsRunningWhenStoppedAndTakesNothingNew")
    static class TakesNewOnesWhileStopping extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    AtomicInteger begun = new AtomicInteger();
                    CompletableFuture<Void> second = new CompletableFuture<>();
                    Consumption consumption = super.consume(queue, prefetch, delivery -> {
                        int number = begun.incrementAndGet();
                        handler.handle(delivery);
                        if (number == 2) {
                            second.complete(null);
                        }
                    });
                    return new ForwardingConsumption(consumption) {
                        @Override
                        public CompletableFuture<Void> stop() {
                            return begun.get() == 1 ? second.thenCompose(done -> sound.stop()) : sound.stop();
                        }
                    };
                }
            };
        }
    }

    @Breaks("stopsAtOnceWhenNothingIsRunning")
    static class WaitsForAFirstDeliveryToStop extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    CompletableFuture<Void> first = new CompletableFuture<>();
                    Consumption consumption = super.consume(queue, prefetch, delivery -> {
                        handler.handle(delivery);
                        first.complete(null);
                    });
                    return new ForwardingConsumption(consumption) {
                        @Override
                        public CompletableFuture<Void> stop() {
                            return first.thenCombine(sound.stop(), (handled, stopped) -> null);
                        }
                    };
                }
            };
        }
    }

    /** Passes other deliveries to the handler than it is given. */
    private abstract static class DeliveryBreaker extends ForwardingTransport {

        DeliveryBreaker(Transport sound) {
            super(sound);
        }

        abstract Delivery broken(Delivery delivery);

        /** For deliveries, which have a {@code sound} of their own. */
        Transport transport() {
            return sound;
        }

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            return super.consume(queue, prefetch, delivery -> handler.handle(broken(delivery)));
        }

        static void sendAgain(Transport transport, IncomingMessage message) {
            transport
                    .send(
                            new OutboundMessage(message.message(), new Route.ToQueue(message.queue()), Duration.ZERO),
                            SOON)
                    .join();
        }
    }
}
