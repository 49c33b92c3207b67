// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.handling.Pipeline;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the after group how a message ended, once that is final, and before the delivery is settled. It is not told of a message that
 * comes back. Thread-safe.
 */
final class AfterGroup {

    private static final Logger LOG = LoggerFactory.getLogger(AfterGroup.class);

    private final boolean isEmpty;
    private final Pipeline<HandledMessage> pipeline;
    private final AfterTheEnd failures;

    /** @param queue of the handled messages */
    AfterGroup(List<ConsumeMiddleware> middlewares, BoundedLog log, String queue) {
        this.isEmpty = middlewares.isEmpty();
        this.pipeline = new Pipeline<>(middlewares);
        this.failures =
                new AfterTheEnd(LOG, log, Subject.warn(LOG, "Middlewares failed after messages of queue " + queue));
    }

    void tell(HandledMessage message) {
        if (isEmpty || !message.isOver()) {
            return;
        }
        try {
            pipeline.run(message);
        } catch (Throwable e) { // the outcome is final, so even an Error is only logged
            failures.failed("A middleware failed after the handling of a message", message, e);
        } finally {
            Thread.interrupted(); // left behind by a middleware, it would fail the settling
        }
    }
}
