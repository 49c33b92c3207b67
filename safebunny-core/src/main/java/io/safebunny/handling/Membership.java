// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.message.Envelope;
import io.safebunny.message.PoisonReason;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The saga or the lane that a message belongs to, known before the message is claimed.
 *
 * @param sagaId the partition in which the message's record is kept: the id of the saga, or the order key
 * @param whenSetAside what is written together with the record if it says that the message is set aside
 * @param turn in the lane of its order key; {@code null} for a message of a saga
 */
public record Membership(
        String sagaId, SetAsideWrite whenSetAside, @Nullable LaneTurn turn) {

    public Membership(String sagaId, SetAsideWrite whenSetAside) {
        this(sagaId, whenSetAside, null);
    }

    public static Membership ofLane(LaneTurn turn) {
        return new Membership(turn.lane().correlationId(), SetAsideWrite.NOTHING, turn);
    }

    /** Makes what is written if the message is set aside. */
    @FunctionalInterface
    public interface SetAsideWrite {

        SetAsideWrite NOTHING = (reason, stored) -> JointRecords.NONE;

        /**
         * Called again when what it had read was overtaken.
         *
         * @param stored reads outside the handler's transaction
         */
        JointRecords records(PoisonReason reason, Function<RecordKey, @Nullable MessageRecord> stored);
    }

    /**
     * Where a message's record is kept.
     *
     * @param membership {@code null} for a message that belongs to no saga
     */
    public static RecordKey keyOf(Envelope message, @Nullable Membership membership) {
        return new RecordKey(membership == null ? message.correlationId() : membership.sagaId, message.id());
    }
}
