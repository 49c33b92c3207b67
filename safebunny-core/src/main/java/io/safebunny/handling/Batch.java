// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.Next;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a handler that takes batches must not do, also if it has got only one message. Spring, and handlers, may swallow that it is refused:
 * then the call fails all the same. Confined to one thread.
 */
public final class Batch {

    /** Of a message whose handler takes one at a time: refuses nothing. */
    static final Batch NONE = new Batch(null);

    /** The message that is bound to the thread: of those that are handled together the first. */
    private @Nullable Handling bound;
    /** The first in what is running. */
    private @Nullable RuntimeException refused;

    private Batch(@Nullable Handling bound) {
        this.bound = bound;
    }

    static Batch of(Handling alone) {
        return new Batch(alone);
    }

    /**
     * Runs an action on this thread that handles all of them, which are {@linkplain Handling#forBatches for batches}. What each has
     * published can be {@linkplain Handling#collected taken} afterwards.
     */
    public static void run(List<Handling> together, Next action) throws Exception {
        Handling first = together.get(0);
        try {
            together.forEach(each -> each.beginsWith(first));
            first.runBound(action);
        } finally {
            together.forEach(Handling::endsWithItsBatch);
        }
        together.forEach(Handling::requireDecided);
    }

    void isHandledWith(Handling first) {
        bound = first;
    }

    /** @param alone unless it is handled with others */
    Handling bound(Handling alone) {
        return bound == null ? alone : bound;
    }

    /** Whether this thread publishes in a certain order, although the handler has been told to say for which message. */
    boolean isOrderedHere() {
        return bound != null && bound.isCurrent();
    }

    /** @throws InvalidPublicationException it would not be certain of which message this is part */
    void requireNamed(Class<?> published) {
        if (bound != null) {
            throw refused(bound, unnamed(published));
        }
    }

    void requireNoSteps(String name) {
        if (bound != null) {
            throw refused(bound, step(name));
        }
    }

    /** @throws InvalidPublicationException the transaction is ending, with records that are complete */
    void requireNotEnding(Envelope message) {
        if (bound != null && bound.transactionEnd().hasBegun()) {
            throw refused(bound, late(message));
        }
    }

    /**
     * Runs the handler, or all that is around it.
     *
     * @throws RuntimeException what was refused meanwhile, whatever the action has made of it
     */
    void guard(Next action) throws Exception {
        if (bound == null) {
            action.run();
            return;
        }
        RuntimeException before = refused;
        refused = null;
        try {
            action.run();
            if (refused != null) {
                throw refused;
            }
        } finally {
            refused = before;
        }
    }

    /** While the transaction ends, what is refused prevents the commit, or is told. */
    private static RuntimeException refused(Handling bound, RuntimeException why) {
        if (bound.transactionEnd().hasBegun()) {
            return bound.transactionEnd().keep(why);
        }
        Batch batch = bound.batch();
        if (batch.refused == null) {
            batch.refused = why;
        }
        return why;
    }

    private static InvalidPublicationException unnamed(Class<?> published) {
        return new InvalidPublicationException(
                "A batch handler, or what is called around it, publishes without saying for which message [type=%s]: ids are derived from that message, and after a crash it comes in another batch. Add a List<MessageContext> parameter to the handler, and use contexts.get(i).publisher() for what message i causes; withDelay there for what is to come later."
                        .formatted(published.getSimpleName()));
    }

    private static InvalidPublicationException late(Envelope message) {
        return new InvalidPublicationException(
                "The handler of the batch of message %s has returned: a publication now would be lost. Publish in the handler."
                        .formatted(message.id()));
    }

    private static MisuseException step(String name) {
        return new MisuseException(
                MisuseException.STEP,
                "Step [%s] is used in a batch handler: a step is kept for one message, and a batch is undone and repeated in parts. Use a handler that takes one message at a time."
                        .formatted(name));
    }
}
