// SPDX-License-Identifier: Apache-2.0
package io.safebunny.bodies;

import io.safebunny.message.NotYetReadableException;
import io.safebunny.message.PoisonReason;

/**
 * The body of a message is not in its store: not yet, because that copies it or its transaction is not committed, or no more. Or this
 * instance does not have the store, as an older version of the application during a rollout.
 */
public final class MissingBodyException extends NotYetReadableException {

    /** @param message which body, and what to do. It goes into the poison message */
    public MissingBodyException(String message) {
        super("SB-3021", PoisonReason.CLAIM_MISSING, message, null);
    }
}
