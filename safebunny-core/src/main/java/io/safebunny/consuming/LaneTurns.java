// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handling.Membership;
import io.safebunny.message.OrderKey;
import io.safebunny.node.Node;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.order.lane.LaneTurn.Terms;
import io.safebunny.order.lane.StoredDelivery;
import io.safebunny.store.record.RecordKey;
import java.time.Instant;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Gives the messages of one handler their turn among those with the same order key, if they are handled in order: without a store there are no lanes. Thread-safe. */
final class LaneTurns {

    private final HandlerDefinition handler;
    private final @Nullable Terms terms;
    private final BiConsumer<RecordKey, Instant> wakes;

    /** @param wakes has a lane run when it is due */
    LaneTurns(HandlerDefinition handler, Node node, BiConsumer<RecordKey, Instant> wakes) {
        this.wakes = wakes;
        this.handler = handler;
        this.terms = handler.ordering().isOrdered() && node.store() != null
                ? new Terms(handler.ordering() == Ordering.HOLD, node.options().lease(), node.timeline())
                : null;
    }

    /** To be called before anything decides on the message. */
    void enters(HandledMessage message) {
        OrderKey key = terms == null
                ? null
                : handler.orderKey(
                        message.envelope(), message.delivery.message().message());
        if (terms != null && key != null) {
            message.handling.belongsTo(Membership.ofLane(new LaneTurn(
                    LaneDocument.key(key.value(), handler.type()),
                    message.messageId(),
                    StoredDelivery.stored(message.delivery.message()),
                    message.delivery instanceof StoredDelivery,
                    terms)));
        }
    }

    /** To be called once the message is settled. What is handled from the store is followed by whoever handles it. */
    void wake(HandledMessage message) {
        LaneTurn turn = message.handling.turn();
        Instant due = turn == null ? null : turn.due();
        if (turn != null && due != null && !(message.delivery instanceof StoredDelivery)) {
            wakes.accept(turn.lane(), due);
        }
    }
}
