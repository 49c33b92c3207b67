// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handled messages whose publications the broker does not accept, as far as this instance has seen lately. Immutable.
 *
 * @param messages number of such messages, 10,000 at most
 * @param oldest when the oldest of those publications was published; {@code null} when there are none
 * @param destinations waiting messages by routing key or queue; the ten with the most
 */
public record WaitingPublications(int messages, @Nullable Instant oldest, Map<String, Integer> destinations) {

    public WaitingPublications {
        destinations = Map.copyOf(destinations);
    }
}
