// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.handling.Companions;
import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords.SetAsideWrite;
import io.safebunny.message.Envelope;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.UnreadableRecordException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What is built over a gap would be wrong, so a saga waits for a person when a message to it is set aside; written together with the
 * message's own record. Confined to one thread.
 */
final class StickWhenSetAside implements SetAsideWrite {

    private final Collection<SagaType> types;
    private final BiPredicate<SagaType, SagaDocument> change;
    private final Handling handling;
    private final Map<SagaType, SagaStatus> changed = new LinkedHashMap<>();

    /**
     * @param types those that may have a saga that is concerned
     * @param change of such a saga; false if it is none
     */
    StickWhenSetAside(Collection<SagaType> types, BiPredicate<SagaType, SagaDocument> change, Handling handling) {
        this.types = types;
        this.change = change;
        this.handling = handling;
    }

    /** Sagas of these types are stuck. */
    static StickWhenSetAside of(Collection<SagaType> types, Handling handling) {
        return new StickWhenSetAside(types, (type, saga) -> stick(saga, handling.message()), handling);
    }

    /** @return whether it was active, and is not any more */
    static boolean stick(SagaDocument saga, Envelope message) {
        boolean isActive = saga.status() == SagaStatus.ACTIVE;
        if (isActive) {
            saga.stickOn(message.id());
        }
        return isActive;
    }

    @Override
    public List<MessageRecord> records(Companions companions) {
        changed.clear();
        List<MessageRecord> records = new ArrayList<>();
        for (SagaType type : types) {
            MessageRecord stored = companions.companion(SagaDocument.key(type.name(), SagaType.sagaId(handling)));
            SagaDocument saga = stored == null ? null : readable(type, stored);
            if (saga != null && change.test(type, saga)) {
                changed.put(type, saga.status());
                records.add(write(type, saga, stored));
            }
        }
        return records;
    }

    private MessageRecord write(SagaType type, SagaDocument saga, @Nullable MessageRecord stored) {
        Instant now = type.tools().timeline().now();
        Envelope message = handling.message();
        String what = saga.status().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        saga.note(now, "%s: %s %s was set aside".formatted(what, message.type(), message.id()));
        return saga.write(stored, message.id(), now, now);
    }

    @Override
    public void written() {
        changed.forEach((type, status) -> type.tools().metrics().sagaBecame(type.name(), status.name()));
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
