// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.spi.transport.Transport;
import io.safebunny.time.Deadline;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** One fault each against {@link DelayRules}. */
final class BrokenDelays {

    private BrokenDelays() {}

    @Breaks("neverDeliversEarly")
    static class DeliversEarly extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    long millis = message.delay().toMillis();
                    return super.send(
                            millis < 100 ? message : withDelay(message, Duration.ofMillis(millis * 9 / 10)), deadline);
                }
            };
        }
    }

    @Breaks("delaysByOneMillisecond")
    static class LosesTinyDelays extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    boolean lost = isDelayed(message) && message.delay().toMillis() < 5;
                    return lost ? CompletableFuture.completedFuture(null) : super.send(message, deadline);
                }
            };
        }
    }

    @Breaks("deliversADelayedMessageToItsQueueOnly")
    static class PublishesDelayedMessagesToAll extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    Set<String> keys = keysOf(message.route().routingKey());
                    if (isDelayed(message) && message.route() instanceof Route.ToQueue && !keys.isEmpty()) {
                        String key = keys.iterator().next();
                        return super.send(withRoute(message, new Route.Publication(key)), deadline);
                    }
                    return super.send(message, deadline);
                }
            };
        }
    }

    @Breaks("doesNotLetALongDelayHoldBackAShortOne")
    static class DelaysFirstInFirstOut extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            AtomicLong lastDue = new AtomicLong(System.nanoTime());
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    if (!isDelayed(message)) {
                        return super.send(message, deadline);
                    }
                    long now = System.nanoTime();
                    long due = lastDue.accumulateAndGet(now + message.delay().toNanos(), Math::max);
                    return super.send(withDelay(message, Duration.ofNanos(due - now)), deadline);
                }
            };
        }
    }

    @Breaks("deliversADelayedPublicationToEveryBoundQueue")
    static class DelaysAPublicationForOneQueueOnly extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    if (isDelayed(message) && isPublication(message)) {
                        Set<String> bound = boundFor(message.route().routingKey());
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

    @Breaks("deliversADelayedPublicationToEveryBoundQueue")
    static class PublishesAtOnce extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    return super.send(isPublication(message) ? withDelay(message, Duration.ZERO) : message, deadline);
                }
            };
        }
    }
}
