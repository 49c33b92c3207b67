// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling.publications;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.transport.OutboundMessage;

/**
 * The handler has returned, and it is not known whether a transaction was committed in which it published. Counts as a failure of the
 * handler.
 */
public final class UndecidedTransactionException extends SafeBunnyException {

    UndecidedTransactionException(String messageId, OutboundMessage publication) {
        super(
                "SB-2008",
                "The handler of message %s has returned [publication=%s, type=%s], and the transaction in which it published is still open, or the outcome of its commit is unknown: the publication can be neither sent nor dropped. End every transaction before the handler returns, on other threads too, and let the failures of commits out."
                        .formatted(
                                messageId,
                                publication.message().messageId(),
                                publication.message().type()),
                null);
    }
}
