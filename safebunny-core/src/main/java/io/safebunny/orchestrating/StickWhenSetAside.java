// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.handling.Companions;
import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords.SetAsideWrite;
import io.safebunny.message.Envelope;
import io.safebunny.orchestrating.document.SagaDocument;
import io.safebunny.saga.SagaStatus;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.UnreadableRecordException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is built over a gap would be wrong, so a saga waits for a person when a message to it is set aside; written together with the
 * message's own record.
 */
record StickWhenSetAside(SagaType type, Handling handling) implements SetAsideWrite {

    @Override
    public @Nullable MessageRecord record(Companions companions) {
        MessageRecord stored = companions.companion(SagaDocument.key(type.name(), SagaType.sagaId(handling)));
        SagaDocument saga = stored == null ? null : readable(stored);
        if (saga == null || saga.status() != SagaStatus.ACTIVE) {
            return null;
        }
        Instant now = type.tools().timeline().now();
        Envelope message = handling.message();
        saga.stickOn(message.id());
        saga.note(now, "stuck: %s %s was set aside".formatted(message.type(), message.id()));
        return saga.write(stored, message.id(), now, now);
    }

    @Override
    public void written() {
        type.tools().metrics().sagaBecame(type.name(), SagaStatus.STUCK.name());
    }

    /** A newer version of SafeBunny wrote it, and learns of the message from its poison copy. */
    private @Nullable SagaDocument readable(MessageRecord stored) {
        try {
            return SagaDocument.read(type.name(), stored);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }
}
