// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.Events;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves messages that the broker itself has set aside into the poison queue, with the reason. The reason is in the first entry of {@code
 * x-death}: the broker writes it, whatever the sender has put there. It is trusted only if it names a queue of this node, because a sender
 * may also publish to the dead-letter queue directly. Thread-safe.
 */
public final class DeadLetters implements DeliveryHandler {

    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);

    private static final Subject STUCK = Subject.error(LOG, "Dead letters cannot be put into the poison queue");

    /** The reasons that a broker writes; any other was written by somebody else. */
    private static final Set<String> REASONS = Set.of("delivery_limit", "expired", "rejected", "maxlen");

    /** Maximum length of an AMQP short string, such as the name of an exchange or a routing key. */
    private static final int LONGEST_NAME = 255;

    private final PoisonQueue poisonQueue;
    private final Set<String> queues;
    private final Events events;
    private final BoundedLog log;

    /** @param queues the queues of this node from which the broker may set messages aside */
    public DeadLetters(PoisonQueue poisonQueue, Set<String> queues, Events events, BoundedLog log) {
        this.events = events;
        this.poisonQueue = poisonQueue;
        this.queues = queues;
        this.log = log;
    }

    @Override
    public void handle(Delivery delivery) {
        if (!delivery.isOpen()) {
            return;
        }
        poisoned(delivery).settle(delivery);
    }

    private Settlement poisoned(Delivery delivery) {
        try {
            Death death = Death.of(delivery.message(), queues);
            InvalidMessageException why = death.explained();
            Settlement end = poisonQueue.put(delivery, death.origin(delivery.message()), why.reason(), why);
            if (end == Settlement.ACKNOWLEDGE
                    && !death.wasGivenUp()) { // if not, the message comes back, or was reported before
                events.givenUpUnhandled(delivery.message().message(), why.reason(), why);
            }
            return end;
        } catch (Throwable e) { // a defect in SafeBunny must not become a hot loop
            log.tell(
                    STUCK,
                    delivery.message().message().toString(),
                    () -> LOG.error("A dead letter cannot be put into the poison queue", log.tellable(e)));
            poisonQueue.pause();
            return Settlement.HAND_BACK;
        }
    }

    private record Death(String queue, String reason, String exchange, String routingKey) {

        private static final Death NONE = new Death("", "", "", "");

        static Death of(IncomingMessage message, Set<String> queues) {
            if (message.message().headers().get("x-death") instanceof List<?> deaths
                    && !deaths.isEmpty()
                    && deaths.get(0) instanceof Map<?, ?> latest
                    && queues.contains(Topology.forwardedFrom(text(latest.get("queue"))))
                    && REASONS.contains(text(latest.get("reason")))) {
                Object keys = latest.get("routing-keys");
                return new Death(
                        Topology.forwardedFrom(text(latest.get("queue"))),
                        text(latest.get("reason")),
                        text(latest.get("exchange")),
                        keys instanceof List<?> list && !list.isEmpty() ? text(list.get(0)) : "");
            }
            return NONE;
        }

        /** The value as text. Empty for nested values, because a sender may have nested them deeply. */
        private static String text(@Nullable Object value) {
            String text = value == null || value instanceof Map || value instanceof List ? "" : value.toString();
            return text.length() <= LONGEST_NAME ? text : text.substring(0, LONGEST_NAME);
        }

        /** The message as it was in its original queue. */
        IncomingMessage origin(IncomingMessage message) {
            return queue.isEmpty()
                    ? message
                    : new IncomingMessage(
                            new Origin(queue, exchange, routingKey), true, message.deliveryCount(), message.message());
        }

        /** Whether this node rejected the message because the broker refused its poison copy. In that case it has already been reported. */
        boolean wasGivenUp() {
            return reason.equals("rejected");
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
                            "The message was published to the queue of dead letters, which only the broker may do. An x-death that names no queue of this node is not believed.");
                case "rejected" ->
                    new InvalidMessageException(
                            PoisonReason.HANDLER_FAILED,
                            "The broker refused the poison copy of the message (too large for it now, the poison queue full, or no permission) and set it aside in queue %s itself. The log of the node says why it could not be handled."
                                    .formatted(queue));
                default ->
                    new InvalidMessageException(
                            PoisonReason.HANDLER_FAILED,
                            "The broker set the message aside in queue %s, because: %s. SafeBunny never asks for that; look for policies of the queue."
                                    .formatted(queue, reason));
            };
        }
    }
}
