// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.observation.BoundedLog.Subject;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls observation handlers. Their failures, including the errors that incompatible libraries throw, are logged and otherwise ignored.
 * Thread-safe.
 */
final class SafeObserving {

    private static final Logger LOG = LoggerFactory.getLogger(SafeObserving.class);
    private static final Subject FAILED = Subject.warn(LOG, "Observation handlers failed");

    private final @Nullable BoundedLog log;

    /** @param log bounds the lines, because each message may cause one; {@code null} if nothing is observed */
    SafeObserving(@Nullable BoundedLog log) {
        this.log = log;
    }

    @Nullable
    Observation start(Supplier<Observation> start) {
        try {
            return start.get();
        } catch (Throwable e) {
            tell(e);
            return null;
        }
    }

    void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            tell(e);
        }
    }

    Observation.@Nullable Scope open(Observation observation) {
        ObservationRegistry registry = observation.getObservationRegistry();
        Observation.Scope before = registry.getCurrentObservationScope();
        try {
            return observation.openScope();
        } catch (Throwable e) {
            tell(e);
            // otherwise the scope would stay open, and the thread's next message would run in it
            registry.setCurrentObservationScope(before);
            return null;
        }
    }

    void close(Observation.Scope scope, ObservationRegistry registry) {
        try {
            scope.close();
        } catch (Throwable e) {
            tell(e);
            registry.setCurrentObservationScope(scope.getPreviousObservationScope());
        }
    }

    private void tell(Throwable failure) {
        if (log != null) {
            log.tell(
                    FAILED,
                    failure.getClass().getName(),
                    () -> LOG.warn("An observation handler failed", log.tellable(failure)));
        }
    }
}
