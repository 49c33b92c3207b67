// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.encryption.EncryptedTypes;
import io.safebunny.failure.details.ExceptionDetails;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** How much is shown of failures, for each type of message. Whether a type is encrypted is said once, before it is consumed. Thread-safe. */
public final class DetailsByType {

    private final FailureDetails configured;
    private final FailureDetails ofEncrypted;
    private final Set<String> encrypted = ConcurrentHashMap.newKeySet();

    /** @param configured of all types that are not encrypted */
    public DetailsByType(ExceptionDetails configured) {
        this.configured = FailureDetails.of(configured);
        this.ofEncrypted = this.configured.ofEncrypted();
    }

    /** Failures of these messages may quote what is encrypted elsewhere. */
    public void hideTextsOf(String type) {
        encrypted.add(type);
    }

    /** @param type {@code null} if it is not known */
    public FailureDetails of(@Nullable String type) {
        return of(type != null && encrypted.contains(type));
    }

    /** Of what is published. */
    public FailureDetails ofPayload(Object payload) {
        return of(EncryptedTypes.of(payload.getClass()) != null);
    }

    private FailureDetails of(boolean isEncrypted) {
        return isEncrypted ? ofEncrypted : configured;
    }
}
