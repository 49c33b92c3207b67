// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.handler.Sharding;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.OrderKey;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.poison.queue.Mover;
import io.safebunny.poison.queue.Mover.Outcome;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.ForwardingDelivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards the messages of a type to the shards of their keys. Consumed in order, it forwards one message of a key at a time, so that they
 * stay in their order; forwarded twice, a message is handled once. A message without a key is handled here, and while nothing may be
 * forwarded so is what waits for nobody: an undo, and a replay where keys are held for one. Thread-safe.
 */
final class Forwarder implements DeliveryHandler {

    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private final String type;
    private final Sharding sharding;
    private final IntFunction<String> queues;
    private final Gate gate;
    private final Mover mover;
    private final DeliveryHandler pipeline;
    private final boolean holds;
    private final BoundedLog log;
    private final Subject closed;

    /**
     * @param queues by number of the shard
     * @param pipeline handles messages of the type
     * @param holds whether others of its key wait for a message that was set aside
     */
    Forwarder(
            String type,
            Sharding sharding,
            IntFunction<String> queues,
            Gate gate,
            Mover mover,
            DeliveryHandler pipeline,
            boolean holds,
            BoundedLog log) {
        this.type = type;
        this.sharding = sharding;
        this.queues = queues;
        this.gate = gate;
        this.mover = mover;
        this.pipeline = pipeline;
        this.holds = holds;
        this.log = log;
        this.closed = Subject.warn(LOG, "Messages of %s are not forwarded to their shards".formatted(type));
    }

    @Override
    public void handle(Delivery delivery) {
        IncomingMessage message = delivery.message();
        OrderKey key = OrderKey.of(message.message());
        if (delivery.refusal() != null || key == null) {
            pipeline.handle(delivery);
        } else if (isOpen()) {
            forward(delivery, ForwardedMessage.copy(message, queues.apply(sharding.of(key))));
        } else if (waitsForNobody(message.message().headers())) {
            pipeline.handle(delivery);
        } else {
            delivery.keep(PAUSE);
        }
    }

    private boolean waitsForNobody(Map<String, Object> headers) {
        return headers.containsKey(Headers.UNDOES) || (holds && headers.containsKey(Headers.POISONED_AT));
    }

    private boolean isOpen() {
        try {
            boolean isOpen = gate.isOpen();
            log.works(closed);
            return isOpen;
        } catch (RuntimeException e) {
            log.fails(
                    closed,
                    type,
                    () -> LOG.warn(
                            "Messages of {} keep their places in the queue: how they are divided into shards cannot be found out, or not be changed",
                            type,
                            log.tellable(e)));
            return false;
        }
    }

    private void forward(Delivery delivery, OutboundMessage copy) {
        Outcome outcome;
        try {
            outcome = mover.move(delivery, copy, NO_LIMIT);
        } catch (RuntimeException e) { // with what the copy has more than the message, it does not fit into a frame
            outcome = Outcome.REFUSED;
        }
        switch (outcome) {
            case MOVED -> delivery.acknowledge();
            case ENDED -> delivery.handBack();
            case REFUSED -> pipeline.handle(new TooLarge(delivery));
        }
    }

    /** The broker takes no copy of it, however often it is sent. */
    private static final class TooLarge extends ForwardingDelivery {

        TooLarge(Delivery delivery) {
            super(delivery);
        }

        @Override
        public Throwable refusal() {
            return new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "The broker does not take the copy of the message for its shard: it, or its headers, are too large. Send data in the body, or raise max_message_size of the broker.");
        }
    }
}
