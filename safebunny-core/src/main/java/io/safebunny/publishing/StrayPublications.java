// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.message.Names;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns about publications on threads that a handler started: they look like part of the handling, but are not. Thread-safe. */
final class StrayPublications {

    private static final Logger LOG = LoggerFactory.getLogger(StrayPublications.class);

    private final CurrentHandling current;

    /** Payload classes already warned about. */
    private final Set<Class<?>> told = ConcurrentHashMap.newKeySet();

    StrayPublications(CurrentHandling current) {
        this.current = current;
    }

    /** Warns and does not refuse, because a pool thread that was started within a handling may by now work for somebody else. */
    void warn(Object payload) {
        Handling handling = current.startedIn();
        if (handling != null && told.add(payload.getClass())) {
            LOG.warn(
                    "{} is published on thread '{}', which was started in the handling of message {}, but is not part of that handling: it starts a new saga, is sent even if the handler fails, and is sent again if the handler is repeated. Publish it with MessageContext.publisher() and an idempotency key; if this is intended, set a correlation id. Logged once per class",
                    payload.getClass().getName(),
                    Names.printable(Thread.currentThread().getName()),
                    handling.message().id());
        }
    }
}
