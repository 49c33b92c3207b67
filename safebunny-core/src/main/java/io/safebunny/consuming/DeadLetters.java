// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what the broker itself set aside and puts it, with the reason, into the poison queue. Believes the broker's latest entry in
 * {@code x-death}, which the broker puts first whatever a sender wrote. Thread-safe.
 */
final class DeadLetters implements DeliveryHandler {

    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);

    private final Recoverer recoverer;

    DeadLetters(Recoverer recoverer) {
        this.recoverer = recoverer;
    }

    @Override
    public void handle(Delivery delivery) {
        if (!delivery.isOpen()) {
            return;
        }
        if (isPoisoned(delivery)) {
            delivery.acknowledge();
        } else {
            delivery.handBack();
        }
    }

    private boolean isPoisoned(Delivery delivery) {
        try {
            Death death = Death.of(delivery.message());
            InvalidMessageException why = death.explained();
            return recoverer.poison(delivery, death.origin(delivery.message()), why.reason(), why);
        } catch (Throwable e) { // a defect of our own must not become a hot loop
            LOG.error("A dead letter cannot be put into the poison queue", e);
            recoverer.pause();
            return false;
        }
    }

    private record Death(String queue, String reason, String exchange, String routingKey) {

        private static final Death NONE = new Death("", "", "", "");

        static Death of(IncomingMessage message) {
            if (message.message().headers().get("x-death") instanceof List<?> deaths
                    && !deaths.isEmpty()
                    && deaths.get(0) instanceof Map<?, ?> latest) {
                Object keys = latest.get("routing-keys");
                return new Death(
                        text(latest.get("queue")),
                        text(latest.get("reason")),
                        text(latest.get("exchange")),
                        keys instanceof List<?> list && !list.isEmpty() ? text(list.get(0)) : "");
            }
            return NONE;
        }

        private static String text(@Nullable Object value) {
            return value == null ? "" : value.toString();
        }

        /** The message as its own queue had it. */
        IncomingMessage origin(IncomingMessage message) {
            return queue.isEmpty()
                    ? message
                    : new IncomingMessage(
                            queue, exchange, routingKey, true, message.deliveryCount(), message.message());
        }

        InvalidMessageException explained() {
            return switch (reason) {
                case "delivery_limit" ->
                    new InvalidMessageException(
                            PoisonReason.DELIVERY_LIMIT,
                            "Too many deliveries of queue %s failed (safebunny.topology.delivery-limit): the message probably ends the process that handles it. Find out why before publishing it again."
                                    .formatted(queue));
                case "expired" ->
                    new InvalidMessageException(
                            PoisonReason.EXPIRED,
                            "The message expired in queue %s: a policy or its sender gave it a time-to-live. Remove that, then publish it again."
                                    .formatted(queue));
                case "" ->
                    new InvalidMessageException(
                            PoisonReason.WRONG_QUEUE,
                            "The message was published to the queue of dead letters, which only the broker may do.");
                default ->
                    new InvalidMessageException(
                            PoisonReason.HANDLER_FAILED,
                            "The broker set the message aside in queue %s, because: %s. SafeBunny never asks for that; look for other consumers and for policies of the queue."
                                    .formatted(queue, reason));
            };
        }
    }
}
