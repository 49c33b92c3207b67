// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.spi.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The publications of a handling so far, and the ordinals that go into their ids. Thread-safe. Most handlings publish little or
 * nothing, so nothing is allocated before the first publication.
 */
final class Publications {

    private static final Mark NOTHING = new Mark(0, Map.of());

    private List<OutboundMessage> collected = List.of();
    private Map<String, Integer> ordinals = Map.of();

    /** The state at some point, to return to. */
    record Mark(int size, Map<String, Integer> ordinals) {}

    synchronized void add(OutboundMessage publication) {
        if (collected.isEmpty()) {
            collected = new ArrayList<>(4);
        }
        collected.add(publication);
    }

    /** 1 for the first publication of this type. */
    synchronized int nextOrdinal(String type) {
        if (ordinals.isEmpty()) {
            ordinals = new HashMap<>(4);
        }
        return ordinals.merge(type, 1, Integer::sum);
    }

    /** In the order of publishing. */
    synchronized List<OutboundMessage> all() {
        return List.copyOf(collected);
    }

    synchronized Mark mark() {
        return collected.isEmpty() && ordinals.isEmpty() ? NOTHING : new Mark(collected.size(), Map.copyOf(ordinals));
    }

    synchronized void clear() {
        returnTo(NOTHING);
    }

    /** Discards later publications and resets the ordinals, so that the same code publishes the same ids. */
    synchronized void returnTo(Mark mark) {
        if (collected.size() > mark.size) {
            collected.subList(mark.size, collected.size()).clear();
        }
        if (!ordinals.isEmpty()) {
            ordinals.clear();
            ordinals.putAll(mark.ordinals);
        }
    }
}
