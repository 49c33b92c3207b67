// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.handling.Pipeline;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the after group see how the handling of a message ended, once that is certain, and before the delivery is settled. A message that comes back has not ended. Thread-safe.
 */
final class AfterGroup {

    private static final Logger LOG = LoggerFactory.getLogger(AfterGroup.class);

    private final boolean isEmpty;
    private final Pipeline<HandledMessage> pipeline;
    private final BoundedLog log;
    private final Kind failures;

    /** @param queue of the handled messages */
    AfterGroup(List<ConsumeMiddleware> middlewares, BoundedLog log, String queue) {
        this.isEmpty = middlewares.isEmpty();
        this.pipeline = new Pipeline<>(middlewares);
        this.log = log;
        this.failures = Kind.warn(LOG, "Middlewares failed after messages of queue " + queue);
    }

    void tell(HandledMessage message) {
        if (isEmpty || !message.isOver()) {
            return;
        }
        try {
            pipeline.run(message);
        } catch (Throwable e) { // what happened has happened, an error changes nothing either
            report(message, e);
        } finally {
            Thread.interrupted(); // left behind by a middleware, it would fail the settling
        }
    }

    private void report(HandledMessage message, Throwable failure) {
        try {
            log.tell(
                    failures,
                    message.delivery.message().message().toString(),
                    () -> LOG.warn(
                            "A middleware failed after the handling of message {}",
                            message.messageId(),
                            log.tellable(failure)));
        } catch (Throwable unlogged) {
            // most likely there is no memory for it; a completed message must not become poison for that
            return;
        }
    }
}
