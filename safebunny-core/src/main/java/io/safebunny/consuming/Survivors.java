// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.Evidence;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.failure.policy.Treatment.FreshCopy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ids of messages whose connection was cut while this process survived. The broker counts such a delivery as failed, although the message
 * did not kill the process. Before the broker's limit sets the message aside, it is replaced by a fresh copy, whose count begins at zero. The
 * oldest ids are dropped. Thread-safe.
 */
final class Survivors {

    private static final int MOST = 10_000;

    private final QuarantinePolicy quarantine;
    private final Map<String, Boolean> ids = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MOST;
        }
    };

    /** @param deliveryLimit failed deliveries after which the broker sets a message aside */
    Survivors(int deliveryLimit) {
        this.quarantine = new QuarantinePolicy(deliveryLimit, QuarantinePolicy.PATIENCE);
    }

    synchronized void add(String id) {
        ids.put(id, true);
    }

    /** Sends the message back as a fresh copy if it is close to the limit; {@code null} to handle it now. */
    @Nullable
    Returned asFreshCopy(String id, int deliveries) {
        return deliveries == 0 ? null : ifCloseToTheLimit(id, deliveries);
    }

    private synchronized @Nullable Returned ifCloseToTheLimit(String id, int deliveries) {
        if (!(quarantine.decide(new Evidence(deliveries, 0, ids.containsKey(id))) instanceof FreshCopy)) {
            return null;
        }
        ids.remove(id);
        return Returned.because(NotHandledException.later(
                "Connections were cut under message %s [deliveries=%s]; a copy of it begins with none"
                        .formatted(id, deliveries),
                Duration.ZERO));
    }
}
