// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.message.Names;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of what looks like part of a handling and is none: published on a thread that a handler started. Thread-safe. */
final class StrayPublications {

    private static final Logger LOG = LoggerFactory.getLogger(StrayPublications.class);

    private final CurrentHandling current;

    /** Payload classes: as many as the application has. */
    private final Set<Class<?>> told = ConcurrentHashMap.newKeySet();

    StrayPublications(CurrentHandling current) {
        this.current = current;
    }

    /** No failure: a thread of a pool, started within a handling, may do somebody else's work by now. */
    void warn(Object payload) {
        Handling handling = current.startedIn();
        if (handling != null && told.add(payload.getClass())) {
            LOG.warn(
                    "{} is published on thread '{}', which was started in the handling of message {}, but is not part of that handling: it begins a saga of its own, is sent even if the handler fails, and again when the handler is repeated. Publish it with MessageContext.publisher() and an idempotency key; or give it a correlation id, if it is meant so. Told once per class",
                    payload.getClass().getName(),
                    Names.printable(Thread.currentThread().getName()),
                    handling.message().id());
        }
    }
}
