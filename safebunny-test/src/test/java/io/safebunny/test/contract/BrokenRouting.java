// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.spi.transport.Transport;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicInteger;

/** One fault each against {@link RoutingRules} and {@link TopologyRules}. */
final class BrokenRouting {

    private BrokenRouting() {}

    @Breaks("deliversToEveryNodeBoundToThePublishingNodesKeyAndOnlyToThem")
    static class RoutesByTypeAlone extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    CompletableFuture<Void> sent = super.send(message, deadline);
                    if (isPublication(message) && !isDelayed(message)) {
                        Set<String> others = consumerQueues();
                        others.removeAll(boundFor(message.route().routingKey()));
                        others.forEach(other -> sound.send(withRoute(message, new Route.ToQueue(other)), deadline)
                                .join());
                    }
                    return sent;
                }
            };
        }
    }

    @Breaks("deliversToEveryNodeBoundToThePublishingNodesKeyAndOnlyToThem")
    static class RoutesToOneOfTheBoundQueues extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    Set<String> bound = boundFor(message.route().routingKey());
                    if (isPublication(message) && !isDelayed(message) && bound.size() > 1) {
                        return super.send(
                                withRoute(
                                        message,
                                        new Route.ToQueue(bound.iterator().next())),
                                deadline);
                    }
                    return super.send(message, deadline);
                }
            };
        }
    }

    @Breaks("handsEachMessageToExactlyOneOfTwoInstances")
    static class HandsEachMessageToAllInstances extends BrokenTransportContract {
        private final Set<Consumer> consumers = ConcurrentHashMap.newKeySet();

        private record Consumer(Transport transport, String queue, DeliveryHandler handler) {}

        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    Consumer own = new Consumer(sound, queue, handler);
                    consumers.add(own);
                    Consumption consumption = super.consume(queue, prefetch, delivery -> {
                        consumers.stream()
                                .filter(other ->
                                        !other.equals(own) && other.queue().equals(queue))
                                .forEach(other -> other.handler().handle(delivery));
                        handler.handle(delivery);
                    });
                    return new ForwardingConsumption(consumption) {
                        @Override
                        public CompletableFuture<Void> stop() {
                            consumers.remove(own);
                            return sound.stop();
                        }
                    };
                }

                @Override
                public void close() {
                    consumers.removeIf(consumer -> consumer.transport() == sound);
                    super.close();
                }
            };
        }
    }

    @Breaks("tellsWhereAMessageCameFrom")
    static class ForgetsTheExchange extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    return super.consume(
                            queue,
                            prefetch,
                            delivery -> handler.handle(new ForwardingDelivery(delivery) {
                                @Override
                                public IncomingMessage message() {
                                    IncomingMessage in = super.message();
                                    return new IncomingMessage(
                                            in.queue(),
                                            "",
                                            in.routingKey(),
                                            in.redelivered(),
                                            in.deliveryCount(),
                                            in.message());
                                }
                            }));
                }
            };
        }
    }

    @Breaks("keepsMessagesWhileNobodyConsumes")
    static class DropsMessagesNobodyConsumes extends BrokenTransportContract {
        private final Collection<String> everConsumed = new CopyOnWriteArraySet<>();

        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    everConsumed.add(queue);
                    return super.consume(queue, prefetch, handler);
                }

                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    Set<String> bound = boundFor(message.route().routingKey());
                    boolean known = isPublication(message) && !bound.isEmpty() && status().usable();
                    if (known && bound.stream().noneMatch(everConsumed::contains)) {
                        return CompletableFuture.completedFuture(null);
                    }
                    return super.send(message, deadline);
                }
            };
        }
    }

    @Breaks("keepsTheOrderForOneConsumerWithPrefetchOne")
    static class MovesTheThirdDeliveryBehindTheNext extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    AtomicInteger count = new AtomicInteger();
                    Queue<IncomingMessage> held = new ConcurrentLinkedQueue<>();
                    return super.consume(queue, prefetch, delivery -> {
                        if (prefetch == 1
                                && count.incrementAndGet() == 3
                                && "message-2"
                                        .equals(delivery.message().message().messageId())) {
                            held.add(delivery.message());
                            delivery.acknowledge();
                            return;
                        }
                        handler.handle(delivery);
                        IncomingMessage passed = held.poll();
                        if (passed != null) {
                            sound.send(
                                            new OutboundMessage(
                                                    passed.message(), new Route.ToQueue(queue), Duration.ZERO),
                                            SOON)
                                    .join();
                        }
                    });
                }
            };
        }
    }

    @Breaks("failsAPublicationNoQueueIsBoundFor")
    static class SwallowsUnroutablePublications extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    boolean swallow = isPublication(message) && status().usable();
                    return swallow
                            ? super.send(message, deadline).exceptionally(failure -> null)
                            : super.send(message, deadline);
                }
            };
        }
    }

    @Breaks("failsAMessageToAMissingQueue")
    static class SwallowsMessagesToMissingQueues extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    return isPublication(message)
                            ? super.send(message, deadline)
                            : super.send(message, deadline).exceptionally(failure -> null);
                }
            };
        }
    }

    @Breaks("refusesToSendAfterClose")
    static class PretendsToSendAfterClose extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    return status().usable() ? super.send(message, deadline) : CompletableFuture.completedFuture(null);
                }
            };
        }
    }

    @Breaks("deliversEveryMessageOfConcurrentSendersExactlyOnce")
    static class LosesTheThousandthMessage extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            AtomicInteger count = new AtomicInteger();
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    boolean lost = count.incrementAndGet() == 1_000;
                    return lost ? CompletableFuture.completedFuture(null) : super.send(message, deadline);
                }
            };
        }
    }

    @Breaks("deliversEveryMessageOfConcurrentSendersExactlyOnce")
    static class SendsTheThousandthMessageTwice extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            AtomicInteger count = new AtomicInteger();
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    boolean twice = count.incrementAndGet() == 1_000;
                    return twice
                            ? super.send(message, deadline).thenCompose(sent -> super.send(message, deadline))
                            : super.send(message, deadline);
                }
            };
        }
    }

    @Breaks("appliesAnEqualTopologyAgainWithoutAnyEffect")
    static class RefusesToStartTwice extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            AtomicInteger starts = new AtomicInteger();
            return new ForwardingTransport(sound) {
                @Override
                public void start(Topology topology) {
                    if (starts.incrementAndGet() > 1) {
                        throw new IllegalStateException("already started");
                    }
                    super.start(topology);
                }
            };
        }
    }

    @Breaks("refusesAQueueThatExistsWithOtherArgumentsAndChangesNothing")
    static class TakesQueuesAsTheyAre extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public void start(Topology topology) {
                    try {
                        super.start(topology);
                    } catch (ConfigurationException e) {
                        return; // the fault
                    }
                }
            };
        }
    }
}
