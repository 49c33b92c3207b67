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
import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is built over a gap would be wrong, so a saga waits for a person when a message to it is set aside; written together with the
 * message's own record. Confined to one thread.
 */
final class StickWhenSetAside implements SetAsideWrite {

    private final Collection<SagaType> types;
    private final Predicate<SagaDocument> isConcerned;
    private final Consumer<SagaDocument> also;
    private final Handling handling;
    private @Nullable SagaType stuck;

    /** @param types one of them has the saga that is concerned, or none */
    StickWhenSetAside(Collection<SagaType> types, Predicate<SagaDocument> isConcerned, Handling handling) {
        this(types, isConcerned, saga -> {}, handling);
    }

    /** @param also is done to the saga that gets stuck */
    StickWhenSetAside(
            Collection<SagaType> types,
            Predicate<SagaDocument> isConcerned,
            Consumer<SagaDocument> also,
            Handling handling) {
        this.types = types;
        this.isConcerned = isConcerned;
        this.also = also;
        this.handling = handling;
    }

    @Override
    public @Nullable MessageRecord record(Companions companions) {
        for (SagaType type : types) {
            MessageRecord stored = companions.companion(SagaDocument.key(type.name(), SagaType.sagaId(handling)));
            SagaDocument saga = stored == null ? null : readable(type, stored);
            if (saga != null && saga.status() == SagaStatus.ACTIVE && isConcerned.test(saga)) {
                stuck = type;
                return stick(type, saga, stored);
            }
        }
        return null;
    }

    private MessageRecord stick(SagaType type, SagaDocument saga, @Nullable MessageRecord stored) {
        Instant now = type.tools().timeline().now();
        Envelope message = handling.message();
        saga.stickOn(message.id());
        also.accept(saga);
        saga.note(now, "stuck: %s %s was set aside".formatted(message.type(), message.id()));
        return saga.write(stored, message.id(), now, now);
    }

    @Override
    public void written() {
        if (stuck != null) {
            stuck.tools().metrics().sagaBecame(stuck.name(), SagaStatus.STUCK.name());
        }
    }

    /** A newer version of SafeBunny wrote it, and learns of the message from its poison copy. */
    private static @Nullable SagaDocument readable(SagaType type, MessageRecord stored) {
        try {
            return SagaDocument.read(type.name(), stored);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }
}
