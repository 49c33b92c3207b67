// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.handling.JointRecords;
import io.safebunny.handling.Membership;
import io.safebunny.handling.Membership.SetAsideWrite;
import io.safebunny.message.Envelope;
import io.safebunny.message.PoisonReason;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.Locale;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes a saga stuck when a message for it is set aside, because state that is built without that message would be wrong. The saga is
 * written together with the message's own record. Immutable.
 *
 * @param types types of sagas that the message may concern
 * @param change changes such a saga; false if the message does not concern it
 */
record StickWhenSetAside(
        Collection<SagaType> types, BiPredicate<SagaType, SagaDocument> change, Envelope message, String sagaId)
        implements SetAsideWrite {

    /** The membership of a message that makes active sagas of these types stuck if it is set aside. */
    static Membership of(Collection<SagaType> types, Envelope message, String sagaId) {
        return new Membership(
                sagaId, new StickWhenSetAside(types, (type, saga) -> stick(saga, message), message, sagaId));
    }

    /** @return false if the saga was not active; it then stays as it is */
    static boolean stick(SagaDocument saga, Envelope message) {
        boolean isActive = saga.status() == SagaStatus.ACTIVE;
        if (isActive) {
            saga.stickOn(message.id(), message.causationId());
        }
        return isActive;
    }

    @Override
    public JointRecords records(PoisonReason reason, Function<RecordKey, @Nullable MessageRecord> stored) {
        JointRecords records = JointRecords.NONE;
        if (reason == PoisonReason.SAGA_STUCK) {
            // this message was refused only because the saga was stuck, so it must
            // not make it stuck again: its record may be written after a resume
            return records;
        }
        for (SagaType type : types) {
            MessageRecord found = stored.apply(SagaDocument.key(type.name(), sagaId));
            SagaDocument saga = found == null
                    ? null
                    : SagaDocument.ifReadable(type.name(), found).orElse(null);
            if (saga != null && change.test(type, saga)) {
                records = records.with(write(type, saga, found)).andThen(() -> SagaLog.became(type.node(), saga));
            }
        }
        return records;
    }

    private MessageRecord write(SagaType type, SagaDocument saga, @Nullable MessageRecord stored) {
        Instant now = type.node().timeline().now();
        String what = saga.status().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        saga.note(now, "%s: %s %s was set aside".formatted(what, message.type(), message.id()));
        return saga.write(stored, message.id(), now, now);
    }
}
