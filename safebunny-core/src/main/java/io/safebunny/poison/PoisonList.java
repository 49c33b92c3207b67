// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.util.List;

/**
 * What was found in the poison queue. Copies that somebody else is looking at or moving just then are missing. Immutable.
 *
 * @param depth how many copies were waiting when the look began
 * @param scanned how many of them were looked at
 * @param truncated whether there are more, behind those that were looked at
 * @param groups of all that match, largest first
 * @param messages that match, oldest first
 */
public record PoisonList(
        long depth, int scanned, boolean truncated, List<PoisonGroup> groups, List<PoisonedMessage> messages) {

    public PoisonList {
        groups = List.copyOf(groups);
        messages = List.copyOf(messages);
    }
}
