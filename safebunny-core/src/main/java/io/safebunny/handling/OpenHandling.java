// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Envelope;
import io.safebunny.spi.transport.OutboundMessage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A handling as other threads see it: open for publications until the handler returns. Of an attempt that is over nothing comes in any
 * more, so a straggler of a failed one publishes nothing. Thread-safe.
 */
public final class OpenHandling implements Surrounding {

    private final Envelope message;
    private final Publications publications;
    private final Supplier<@Nullable String> runningStep;
    private boolean over;

    OpenHandling(Envelope message, Publications publications, Supplier<@Nullable String> runningStep) {
        this.message = message;
        this.publications = publications;
        this.runningStep = runningStep;
    }

    @Override
    public Envelope message() {
        return message;
    }

    /** @throws InvalidPublicationException after the handler has returned, and while it runs a step */
    @Override
    public synchronized void requirePublishing() {
        if (over) {
            throw new InvalidPublicationException(
                    "The handler of message %s has returned: what is published now would not be part of its handling. Wait in the handler for what other threads do for it."
                            .formatted(message.id()));
        }
        // threads that the step started see that it runs, and whose else this publication is cannot be told
        String step = runningStep.get();
        if (step != null) {
            throw new InvalidPublicationException(
                    "Step [%s] is being run: an attempt that skips it would not publish what it publishes. Publish before or after the step."
                            .formatted(step));
        }
    }

    @Override
    public synchronized void collect(OutboundMessage publication) {
        requirePublishing();
        publications.add(publication);
    }

    /** Other threads overtake one another: the first in this attempt need not be the first in the next. */
    @Override
    public int nextOrdinal(String type) {
        throw new InvalidPublicationException(
                "A publication from other threads needs an idempotency key [type=%s]: their order is not the same in each attempt, so it cannot make the message id. Pass PublishOptions.none().withIdempotencyKey(…), made of what is published."
                        .formatted(type));
    }

    synchronized void end() {
        over = true;
    }
}
