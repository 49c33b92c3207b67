// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.message.WireMessage;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.spi.transport.Transport;
import io.safebunny.time.Deadline;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** One fault each against {@link FidelityRules}. */
final class BrokenFidelity {

    private BrokenFidelity() {}

    @Breaks("carriesBodyPropertiesAndHeadersUnchanged")
    static class CutsLongHeaders extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new AlteringTransport(sound) {
                @Override
                WireMessage altered(OutboundMessage message) {
                    return isPublication(message)
                            ? withValues(message.message(), CutsLongHeaders::cut)
                            : message.message();
                }
            };
        }

        private static Object cut(Object value) {
            return value instanceof String text && text.length() > 1_024 ? text.substring(0, 1_024) : value;
        }
    }

    @Breaks("carriesBodyPropertiesAndHeadersUnchanged")
    static class TurnsLongsIntoInts extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new AlteringTransport(sound) {
                @Override
                WireMessage altered(OutboundMessage message) {
                    return isPublication(message)
                            ? withValues(message.message(), v -> v instanceof Long number ? number.intValue() : v)
                            : message.message();
                }
            };
        }
    }

    @Breaks("carriesBodyPropertiesAndHeadersUnchanged")
    static class DropsThePriority extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new AlteringTransport(sound) {
                @Override
                WireMessage altered(OutboundMessage message) {
                    return isPublication(message) ? withoutPriority(message.message()) : message.message();
                }
            };
        }

        private static WireMessage withoutPriority(WireMessage m) {
            return new WireMessage(
                    m.messageId(),
                    m.correlationId(),
                    m.type(),
                    m.appId(),
                    m.timestamp(),
                    m.contentType(),
                    m.contentEncoding(),
                    m.headers(),
                    m.body());
        }
    }

    @Breaks("leavesAbsentPropertiesAbsent")
    static class InventsAContentType extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new AlteringTransport(sound) {
                @Override
                WireMessage altered(OutboundMessage outbound) {
                    WireMessage m = outbound.message();
                    return m.contentType() != null
                            ? m
                            : new WireMessage(
                                    m.messageId(),
                                    m.correlationId(),
                                    m.type(),
                                    m.appId(),
                                    m.timestamp(),
                                    "application/octet-stream",
                                    m.contentEncoding(),
                                    m.headers(),
                                    m.body());
                }
            };
        }
    }

    @Breaks("carriesADelayedMessageUnchanged")
    static class DropsHeadersOfDelayedMessages extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new AlteringTransport(sound) {
                @Override
                WireMessage altered(OutboundMessage message) {
                    return isDelayed(message) ? message.message().withHeaders(Map.of()) : message.message();
                }
            };
        }
    }

    @Breaks("putsAPoisonMessageUnchangedIntoThePoisonQueueOfItsNode")
    static class DropsHeadersOfPoisonMessages extends BrokenTransportContract {
        @Override
        Transport broken(Transport sound) {
            return new AlteringTransport(sound) {
                @Override
                WireMessage altered(OutboundMessage message) {
                    boolean drop = message.route() instanceof Route.Poison;
                    return drop ? message.message().withHeaders(Map.of()) : message.message();
                }
            };
        }
    }

    @Breaks("doesNotShareTheHeaderMapWithTheSender")
    static class SharesTheHeaderMap extends BrokenTransportContract {
        private final Map<String, Map<String, Object>> shared = new ConcurrentHashMap<>();

        @Override
        Transport broken(Transport sound) {
            return new ForwardingTransport(sound) {
                @Override
                public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                    shared.put(
                            String.valueOf(message.message().messageId()),
                            message.message().headers());
                    return super.send(message, deadline);
                }

                @Override
                public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
                    return super.consume(
                            queue,
                            prefetch,
                            delivery -> handler.handle(new ForwardingDelivery(delivery) {
                                @Override
                                public IncomingMessage message() {
                                    return withSharedHeaders(super.message());
                                }
                            }));
                }
            };
        }

        private IncomingMessage withSharedHeaders(IncomingMessage in) {
            WireMessage message = in.message();
            Map<String, Object> headers = shared.getOrDefault(String.valueOf(message.messageId()), Map.of());
            return new IncomingMessage(
                    in.queue(),
                    in.exchange(),
                    in.routingKey(),
                    in.redelivered(),
                    in.deliveryCount(),
                    message.withHeaders(headers));
        }
    }

    /** Sends something else than it was given. */
    private abstract static class AlteringTransport extends ForwardingTransport {

        AlteringTransport(Transport sound) {
            super(sound);
        }

        abstract WireMessage altered(OutboundMessage message);

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            return super.send(new OutboundMessage(altered(message), message.route(), message.delay()), deadline);
        }

        static WireMessage withValues(WireMessage message, UnaryOperator<Object> change) {
            Map<String, Object> headers = new LinkedHashMap<>(message.headers());
            headers.replaceAll((name, value) -> change.apply(value));
            return message.withHeaders(headers);
        }
    }
}
