// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Envelope;
import io.safebunny.transport.OutboundMessage;

/** The handling a publication is part of: its parent message, and where it is collected until the handler has succeeded. */
public sealed interface Surrounding permits Handling, OpenHandling {

    /** The parent message of publications. */
    Envelope message();

    /** @throws InvalidPublicationException when it would not be part of this handling */
    void requirePublishing();

    /** @throws InvalidPublicationException as {@link #requirePublishing()} */
    void collect(OutboundMessage publication);

    /** Whether the transaction of the handling is being ended, and its listeners are told. */
    default boolean isEnding() {
        return false;
    }

    /**
     * Whether a publication now belongs to the transaction that is open on this thread, if somebody stores it there, because the handling
     * is decided and a listener has begun that transaction.
     */
    default boolean leavesToItsTransaction() {
        return false;
    }

    /** Whether nothing may be sent before the handling has succeeded. */
    boolean collectsOnly();

    /**
     * The next ordinal: 1 for the first publication of this type in this handling.
     *
     * @throws InvalidPublicationException when the order of publishing may differ between attempts
     */
    int nextOrdinal(String type);
}
