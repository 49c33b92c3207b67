// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.failure.MisuseException;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.middleware.ContextPropagator.Scope;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.FailureDetails;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Surrounds the handling of a message with what the application keeps on the thread. Thread-safe. */
final class PropagatedContext {

    private static final Logger LOG = LoggerFactory.getLogger(PropagatedContext.class);
    private static final Subject UNCLOSED = Subject.warn(LOG, "Contexts of messages could not be closed");

    private final List<ContextPropagator> propagators;
    private final BoundedLog log;

    /** @param propagators the outermost first */
    PropagatedContext(List<ContextPropagator> propagators, BoundedLog log) {
        this.propagators = propagators;
        this.log = log;
    }

    /** Whether there is nothing to open, for any message. */
    boolean isEmpty() {
        return propagators.isEmpty();
    }

    /** The open contexts of one message; closed on the thread that opened them. */
    final class Opened implements AutoCloseable {
        private final String messageId;
        private final FailureDetails details;
        private final Deque<Scope> scopes = new ArrayDeque<>();

        private Opened(String messageId, FailureDetails details) {
            this.messageId = messageId;
            this.details = details;
        }

        @Override
        public void close() {
            scopes.forEach(scope -> PropagatedContext.this.close(scope, messageId, details));
            if (!scopes.isEmpty()) {
                Thread.interrupted(); // an interrupt left behind by one of them would fail the settling
            }
        }
    }

    /** {@code null} when there is nothing to open. */
    @Nullable
    Opened open(HandledMessage message) throws Exception {
        if (propagators.isEmpty()) {
            return null;
        }
        Opened opened = new Opened(message.messageId(), message.handling.details());
        try {
            for (ContextPropagator propagator : propagators) {
                opened.scopes.push(open(propagator, message));
            }
            return opened;
        } catch (Throwable failure) {
            opened.close();
            throw failure;
        }
    }

    private static Scope open(ContextPropagator propagator, HandledMessage message) throws Exception {
        try {
            return opened(propagator, propagator.open(message.envelope()));
        } catch (Throwable failure) {
            message.failed(failure);
            throw failure;
        }
    }

    private static Scope opened(ContextPropagator propagator, @Nullable Scope scope) {
        if (scope == null) {
            throw new MisuseException(
                    MisuseException.BROKEN_RULE,
                    "A ContextPropagator returned null [type=%s]. Let it return what ends the context, perhaps () -> {}."
                            .formatted(propagator.getClass().getName()));
        }
        return scope;
    }

    /** Only logs a failure: the message is done, and the other contexts must be closed, too. */
    private void close(Scope scope, String messageId, FailureDetails details) {
        try {
            scope.close();
        } catch (Throwable e) {
            log.tell(
                    UNCLOSED,
                    messageId,
                    () -> LOG.warn(
                            "The context of message {} could not be closed [type={}]; what it set may be left on the thread",
                            messageId,
                            scope.getClass().getName(),
                            details.logged(e)));
        }
    }
}
