// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.message.Names;

/**
 * A message belongs to a saga that does not exist. The message may have come too early, so it comes back according to the delayed retries.
 */
public final class UnknownSagaException extends SafeBunnyException {

    private static final long serialVersionUID = 1L;

    public UnknownSagaException(String saga, String sagaId, String type) {
        super(
                "SB-3010",
                "There is no saga %s %s for message type %s: it has not begun yet, or never will, or ended longer ago than safebunny.saga.retention."
                        .formatted(saga, Names.printable(sagaId), Names.printable(type)),
                null);
    }
}
