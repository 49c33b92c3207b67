// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.recovery.Ending.Returned;
import io.safebunny.recovery.Evidence;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.QuarantinePolicy;
import io.safebunny.recovery.Treatment.FreshCopy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ids of messages whose delivery was cut off while this process went on. The broker counts such a delivery as failed, but the
 * message did not end the process; before the broker sets it aside, it goes on as a copy, of which the broker has counted nothing. The
 * oldest are forgotten. Thread-safe.
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

    /** That the message goes on as a copy; {@code null} when it is to be handled now. What is known of it does not hold for the copy. */
    synchronized @Nullable Returned asFreshCopy(String id, int deliveries) {
        if (deliveries == 0
                || !(quarantine.decide(new Evidence(deliveries, 0, ids.containsKey(id))) instanceof FreshCopy)) {
            return null;
        }
        ids.remove(id);
        return Returned.because(NotHandledException.later(
                "Connections were cut under message %s [deliveries=%s]; a copy of it begins with none"
                        .formatted(id, deliveries),
                Duration.ZERO));
    }
}
