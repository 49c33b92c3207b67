// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Envelope;
import io.safebunny.spi.transport.OutboundMessage;

/** What a publication is part of: its parent, and where it waits until the handler has succeeded. */
public sealed interface Surrounding permits Handling, OpenHandling {

    /** The parent. */
    Envelope message();

    /** @throws InvalidPublicationException when it would not be part of this handling */
    void requirePublishing();

    /** @throws InvalidPublicationException as {@link #requirePublishing()} */
    void collect(OutboundMessage publication);

    /**
     * Counts: 1 for the first publication of this type in this handling.
     *
     * @throws InvalidPublicationException when the order of publishing is not the same in each attempt
     */
    int nextOrdinal(String type);
}
