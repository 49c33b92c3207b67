// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Faults against {@link RoutingRules} and {@link TopologyRules}. */
final class BrokenRouting extends TransportFaults {

    private static final String BOUND = "deliversToEveryNodeBoundToThePublishingNodesKeyAndOnlyToThem";
    private static final String ARCHIVED = "keepsWhatIsDiscardedInTheArchiveAndOnlyThere";
    private static final String ONCE = "deliversEveryMessageOfConcurrentSendersExactlyOnce";

    BrokenRouting() {
        bindings();
        deliveries();
        sends();
        starts();
    }

    private void bindings() {
        faultIn(
                "routes by type alone",
                BOUND,
                test -> transport -> transport.on(Transport::send).instead((real, message, deadline) -> {
                    CompletableFuture<Void> sent = real.send(message, deadline);
                    if (isPublication(message) && !isDelayed(message)) {
                        Set<String> others = test.consumerQueues();
                        others.removeAll(test.boundFor(message.route().routingKey()));
                        others.forEach(other -> real.send(withRoute(message, new Route.ToQueue(other)), deadline)
                                .join());
                    }
                    return sent;
                }));
        faultIn(
                "routes to one of the bound queues",
                BOUND,
                test -> altering(message -> {
                    Set<String> bound = test.boundFor(message.route().routingKey());
                    boolean several = isPublication(message) && !isDelayed(message) && bound.size() > 1;
                    return several ? toOneOf(bound, message) : message;
                }));
        faultIn("drops messages nobody consumes", "keepsMessagesWhileNobodyConsumes", test -> {
            Set<String> everConsumed = ConcurrentHashMap.newKeySet();
            return transport -> {
                transport.on(Transport::consume).instead((real, queue, prefetch, handler) -> {
                    everConsumed.add(queue);
                    return real.consume(queue, prefetch, handler);
                });
                transport.on(Transport::consumeOrdered).instead((real, queue, prefetch, pace, handler) -> {
                    everConsumed.add(queue);
                    return real.consumeOrdered(queue, prefetch, pace, handler);
                });
                transport.on(Transport::send).instead((real, message, deadline) -> {
                    Set<String> bound = test.boundFor(message.route().routingKey());
                    boolean known = isPublication(message)
                            && !bound.isEmpty()
                            && real.status().usable();
                    boolean drop = known && bound.stream().noneMatch(everConsumed::contains);
                    return drop ? done() : real.send(message, deadline);
                });
            };
        });
    }

    private record Consumer(Transport transport, String queue, DeliveryHandler handler) {}

    private void deliveries() {
        faultIn("hands each message to all instances", "handsEachMessageToExactlyOneOfTwoInstances", test -> {
            Set<Consumer> consumers = ConcurrentHashMap.newKeySet();
            return transport -> {
                transport.on(Transport::consume).instead((sound, queue, prefetch, handler) -> {
                    Consumer own = new Consumer(sound, queue, handler);
                    consumers.add(own);
                    DeliveryHandler all = delivery -> {
                        consumers.stream()
                                .filter(other ->
                                        !other.equals(own) && other.queue().equals(queue))
                                .forEach(other -> other.handler().handle(delivery));
                        handler.handle(delivery);
                    };
                    return transport.sabotaged(
                            Consumption.class,
                            sound.consume(queue, prefetch, all),
                            consumption -> consumption.on(Consumption::stop).instead(real -> {
                                consumers.remove(own);
                                return real.stop();
                            }));
                });
                transport.on(Transport::close).instead(real -> {
                    consumers.removeIf(consumer -> consumer.transport() == real);
                    real.close();
                });
            };
        });
        fault("forgets the exchange", "tellsWhereAMessageCameFrom", eachDelivery((to, delivery) -> delivery.on(
                        Delivery::message)
                .instead(real -> {
                    IncomingMessage in = real.message();
                    return new IncomingMessage(
                            new Origin(in.queue(), "", in.routingKey()),
                            in.redelivered(),
                            in.deliveryCount(),
                            in.message());
                })));
        fault(
                        "moves the third delivery behind the next",
                        "keepsTheOrderForOneConsumerWithPrefetchOne",
                        Transport::consume)
                .instead((real, queue, prefetch, handler) -> {
                    AtomicInteger count = new AtomicInteger();
                    Queue<IncomingMessage> held = new ConcurrentLinkedQueue<>();
                    return real.consume(queue, prefetch, delivery -> {
                        String id = delivery.message().message().messageId();
                        if (prefetch == 1 && count.incrementAndGet() == 3 && "message-2".equals(id)) {
                            held.add(delivery.message());
                            delivery.acknowledge();
                            return;
                        }
                        handler.handle(delivery);
                        IncomingMessage passed = held.poll();
                        if (passed != null) {
                            sendAgain(real, passed);
                        }
                    });
                });
    }

    private void sends() {
        fault("swallows unroutable publications", "failsAPublicationNoQueueIsBoundFor", Transport::send)
                .instead((real, message, deadline) -> {
                    boolean swallow = isPublication(message) && real.status().usable();
                    CompletableFuture<Void> sent = real.send(message, deadline);
                    return swallow ? sent.exceptionally(failure -> null) : sent;
                });
        fault("swallows messages to missing queues", "failsAMessageToAMissingQueue", Transport::send)
                .instead((real, message, deadline) -> {
                    CompletableFuture<Void> sent = real.send(message, deadline);
                    return isPublication(message) ? sent : sent.exceptionally(failure -> null);
                });
        fault("discards for good", List.of(ARCHIVED, "failsAMessageToAMissingQueue"), losing(message -> message.route()
                .routingKey()
                .endsWith("-poison-archive")));
        fault("discards to the poison queue", ARCHIVED, altering(BrokenRouting::toPoison));
        fault("pretends to send after close", "refusesToSendAfterClose", Transport::send)
                .instead((real, message, deadline) -> real.status().usable() ? real.send(message, deadline) : done());
        fault("loses the thousandth message", ONCE, transport -> {
            AtomicInteger count = new AtomicInteger();
            losing(message -> count.incrementAndGet() == 1_000).accept(transport);
        });
        fault("sends the thousandth message twice", ONCE, transport -> {
            AtomicInteger count = new AtomicInteger();
            transport.on(Transport::send).instead((real, message, deadline) -> {
                CompletableFuture<Void> sent = real.send(message, deadline);
                boolean twice = count.incrementAndGet() == 1_000;
                return twice ? sent.thenCompose(first -> real.send(message, deadline)) : sent;
            });
        });
    }

    private static OutboundMessage toPoison(OutboundMessage message) {
        String queue = message.route().routingKey();
        return queue.endsWith("-poison-archive")
                ? withRoute(message, new Route.Poison(queue.substring(0, queue.length() - "-poison-archive".length())))
                : message;
    }

    private void starts() {
        fault(
                        "does not look for the queue of the other kind",
                        "refusesATypeThatTheNodeHasTakenInTheOtherWayAndChangesNothing",
                        Transport::start)
                .instead((real, topology) -> {
                    try {
                        real.start(topology);
                    } catch (ConfigurationException e) {
                        if (!e.code().equals("SB-1205")) {
                            throw e;
                        }
                    }
                });
        fault("refuses to start twice", "appliesAnEqualTopologyAgainWithoutAnyEffect", transport -> {
            AtomicBoolean started = new AtomicBoolean();
            transport.on(Transport::start).instead((real, topology) -> {
                if (started.getAndSet(true)) {
                    throw new IllegalStateException("already started");
                }
                real.start(topology);
            });
        });
        fault(
                        "takes queues as they are",
                        "refusesAQueueThatExistsWithOtherArgumentsAndChangesNothing",
                        Transport::start)
                .instead((real, topology) -> {
                    try {
                        real.start(topology);
                    } catch (ConfigurationException e) {
                        if (!e.code().equals("SB-1201")) {
                            throw e;
                        }
                    }
                });
    }
}
