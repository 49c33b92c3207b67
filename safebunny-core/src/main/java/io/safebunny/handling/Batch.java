// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.Next;
import java.util.List;

/** Messages that one call of a handler takes, and what such a handler must not do. */
public final class Batch {

    private Batch() {}

    /**
     * Runs an action on this thread that handles all of them, which are {@linkplain Handling#forBatches for batches}. What each has
     * published can be {@linkplain Handling#collected taken} afterwards.
     */
    public static void run(List<Handling> together, Next action) throws Exception {
        Handling first = together.get(0);
        CurrentHandling current = first.current();
        Handling outer = current.begin(first);
        try {
            together.forEach(each -> each.beginsWith(first));
            action.run();
        } finally {
            together.forEach(Handling::endsWithItsBatch);
            current.restore(outer);
        }
        together.forEach(Handling::requireDecided);
    }

    static InvalidPublicationException unnamed(Class<?> published) {
        return new InvalidPublicationException(
                "A batch handler, or what is called around it, publishes without saying for which message [type=%s]: ids are derived from that message, and after a crash it comes in another batch. Add a List<MessageContext> parameter to the handler, and use contexts.get(i).publisher() for what message i causes."
                        .formatted(published.getSimpleName()));
    }

    static InvalidPublicationException late(Envelope message) {
        return new InvalidPublicationException(
                "The handler of the batch of message %s has returned: a publication now would be lost. Publish in the handler."
                        .formatted(message.id()));
    }

    static MisuseException step(String name) {
        return new MisuseException(
                MisuseException.STEP,
                "Step [%s] is used in a batch handler: a step is kept for one message, and a batch is undone and repeated in parts. Use a handler that takes one message at a time."
                        .formatted(name));
    }
}
