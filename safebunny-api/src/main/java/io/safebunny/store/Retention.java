// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import io.safebunny.store.record.RecordState;
import java.time.Duration;

/**
 * How long a store keeps records in a final state, counted from their last change. Immutable.
 *
 * @param handled for handled or undone messages, and for companions; {@code safebunny.dedup.retention}
 * @param poisoned for messages that were set aside, and for what their replay needs; at least as long as {@code handled}, because
 *     their copies wait for an operator
 */
public record Retention(Duration handled, Duration poisoned) {

    /** Default for poisoned records: 90 days. */
    public static final Duration DEFAULT_POISONED = Duration.ofDays(90);

    /** @throws ConfigurationException SB-1301 if poisoned records are kept for a shorter time than the others */
    public Retention {
        InvalidProperty.unlessAtLeastThatOf(
                "safebunny.dedup.retention", handled, "retention of poison messages", poisoned);
    }

    /** Keeps poisoned records for 90 days, or as long as the others if that is longer. */
    public static Retention of(Duration handled) {
        return new Retention(handled, handled.compareTo(DEFAULT_POISONED) > 0 ? handled : DEFAULT_POISONED);
    }

    /** How long a record in this final state is kept. */
    public Duration of(RecordState state) {
        return state == RecordState.POISONED ? poisoned : handled;
    }
}
