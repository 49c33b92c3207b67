// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.handling.publications.Publications;
import io.safebunny.message.Envelope;
import io.safebunny.transport.OutboundMessage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A handling as other threads see it: open for publications until the handler returns. Bound to one attempt, so that stragglers
 * of a failed attempt cannot publish. Thread-safe.
 */
public final class OpenHandling implements Surrounding {

    private final Handling handling;
    private final Publications publications;
    private final Supplier<@Nullable String> runningStep;
    private boolean over;

    OpenHandling(Handling handling, Publications publications, Supplier<@Nullable String> runningStep) {
        this.handling = handling;
        this.publications = publications;
        this.runningStep = runningStep;
    }

    @Override
    public Envelope message() {
        return handling.message();
    }

    /** Listeners of the transaction's end run on the handler's thread, so they publish as the handling itself does. */
    @Override
    public boolean isEnding() {
        return handling.isEndingHere();
    }

    @Override
    public boolean leavesToItsTransaction() {
        return isEnding() && handling.leavesToItsTransaction();
    }

    /** @throws InvalidPublicationException after the handler has returned, and while it runs a step */
    @Override
    public synchronized void requirePublishing() {
        if (isEnding()) {
            handling.requirePublishing();
            return;
        }
        if (over) {
            throw new InvalidPublicationException(
                    "The handler of message %s has returned: a publication now would not be part of its handling. Let the handler wait for the other threads that publish for it."
                            .formatted(message().id()));
        }
        // refuse it for every thread: a publication by a thread that the step started cannot be told from one by
        // another thread
        String step = runningStep.get();
        if (step != null) {
            throw new InvalidPublicationException(
                    "Step [%s] is running: an attempt that skips it would not publish what its threads publish. Publish before or after the step."
                            .formatted(step));
        }
    }

    @Override
    public boolean collectsOnly() {
        return handling.collectsOnly();
    }

    @Override
    public synchronized void collect(OutboundMessage publication) {
        requirePublishing();
        if (isEnding()) {
            handling.collect(publication);
        } else {
            publications.add(publication);
        }
    }

    /** Refuses on other threads: the order of publications by several threads may differ from attempt to attempt. */
    @Override
    public int nextOrdinal(String type) {
        if (isEnding() || handling.batch().isOrderedHere()) {
            return handling.nextOrdinal(type);
        }
        throw new InvalidPublicationException(
                "A publication from another thread needs an idempotency key [type=%s]: the order may differ in each attempt, so the message id cannot depend on it. Pass PublishOptions.none().withIdempotencyKey(…), derived from what is published."
                        .formatted(type));
    }

    synchronized void end() {
        over = true;
    }
}
