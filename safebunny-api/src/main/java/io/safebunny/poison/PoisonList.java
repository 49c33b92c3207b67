// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.util.List;

/**
 * Copies found in the poison queue. Copies that somebody else is browsing or moving at that moment are missing. Immutable.
 *
 * @param depth copies in the queue at the start
 * @param scanned how many of them were read
 * @param truncated whether the queue has more copies than were read
 * @param groups of all matching copies, largest first
 * @param messages the matching copies, oldest first
 */
public record PoisonList(
        long depth, int scanned, boolean truncated, List<PoisonGroup> groups, List<PoisonedMessage> messages) {

    public PoisonList {
        groups = List.copyOf(groups);
        messages = List.copyOf(messages);
    }
}
