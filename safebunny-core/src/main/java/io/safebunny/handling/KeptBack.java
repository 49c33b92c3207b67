// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.message.Envelope;
import io.safebunny.spi.transport.OutboundMessage;
import org.jspecify.annotations.Nullable;

/**
 * Takes one publication of a handling that is not sent with the others, but kept, to be sent by a later handling or never. Confined to
 * the handler's thread.
 */
public final class KeptBack implements Surrounding {

    private final Handling handling;
    private @Nullable OutboundMessage publication;

    public KeptBack(Handling handling) {
        this.handling = handling;
    }

    /** {@code null} when a middleware dropped it. */
    public @Nullable OutboundMessage publication() {
        return publication;
    }

    @Override
    public Envelope message() {
        return handling.message();
    }

    @Override
    public void requirePublishing() {
        handling.requirePublishing();
    }

    @Override
    public boolean collectsOnly() {
        return true;
    }

    @Override
    public void collect(OutboundMessage collected) {
        publication = collected;
    }

    @Override
    public int nextOrdinal(String type) {
        return handling.nextOrdinal(type);
    }
}
