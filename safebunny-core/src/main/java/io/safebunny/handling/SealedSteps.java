// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import org.jspecify.annotations.Nullable;

/** Keeps the results of one message's steps encrypted, because its body is. Confined to one thread. */
final class SealedSteps implements HandlerStore {

    private final HandlerStore store;
    private final Sealing sealing;
    private final Envelope message;
    /** Encrypts all results of the message with the same keys; {@code null} before the first. */
    private @Nullable Sealing own;

    SealedSteps(HandlerStore store, Sealing sealing, Envelope message) {
        this.store = store;
        this.sealing = sealing;
        this.message = message;
    }

    /** Where there is no result yet, it makes sure that one can be encrypted: when the step has run, it would be too late. */
    @Override
    public @Nullable String find(String name) {
        String stored = store.find(name);
        if (stored == null) {
            String unused = own().seal(place(name), "");
            return null;
        }
        if (Sealing.isSealed(stored)) {
            return sealing.open(place(name), "The result of step [%s]".formatted(name), stored);
        }
        if (!sealing.takesPlain(message)) {
            throw new InvalidMessageException(
                    PoisonReason.NOT_ENCRYPTED,
                    "The stored result of step [%s] is not encrypted, but messages of type %s are. While the type changes over, name it in safebunny.encryption.accept-clear, and replay the message."
                            .formatted(name, message.type()));
        }
        return stored;
    }

    @Override
    public void store(String name, String json) {
        store.store(name, own().seal(place(name), json));
    }

    private Sealing own() {
        Sealing known = own;
        if (known == null) {
            known = sealing.ofThis();
            own = known;
        }
        return known;
    }

    /** One result of this message, and of no other. */
    private Envelope place(String name) {
        String type = "once %s %s".formatted(message.type(), name);
        return Sealing.place(message.id(), message.correlationId(), type, message.node(), 1);
    }

    @Override
    public @Nullable MessageRecord companion(RecordKey key) {
        return store.companion(key);
    }

    @Override
    public void beginAgain() {
        store.beginAgain();
    }
}
