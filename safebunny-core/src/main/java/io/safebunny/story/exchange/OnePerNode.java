// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.story.NodeStory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which parts a story keeps. Instances with the same store know the same records, so the fullest part tells for all; of the others stays
 * what differs between instances: troubles and pauses. An instance with a store of its own, such as one in memory, tells for itself. Pure.
 */
final class OnePerNode {

    /** The one that knows most, then the one that could look everywhere; by name, so that it is the same each time. */
    private static final Comparator<SharedPart> FULLEST = Comparator.comparingInt((SharedPart one) -> -size(one.part()))
            .thenComparingInt(one -> gaps(one.part()))
            .thenComparing(one -> one.part().instance());

    private OnePerNode() {}

    /**
     * @param own that of this instance, which always stays, because it has all texts
     * @return this one's first, then by node
     */
    static List<NodeStory> of(SharedPart own, List<SharedPart> others) {
        Map<String, List<SharedPart>> byNode = new TreeMap<>();
        others.forEach(one -> byNode.computeIfAbsent(one.part().node(), node -> new ArrayList<>())
                .add(one));
        List<NodeStory> kept = new ArrayList<>(List.of(own.part()));
        List<SharedPart> siblings = byNode.remove(own.part().node());
        if (siblings != null) {
            boolean isSure = own.shared() && gaps(own.part()) == 0;
            kept.addAll(kept(siblings, own.shared() && size(own.part()) > 0, isSure, true));
        }
        byNode.values().forEach(parts -> kept.addAll(kept(parts, false, false, false)));
        return kept;
    }

    /**
     * @param isTold whether another part tells for those that share a store
     * @param isSure whether another part could look everywhere for those that share a store
     * @param isNamed whether another part of the node stays in any case
     */
    private static List<NodeStory> kept(List<SharedPart> parts, boolean isTold, boolean isSure, boolean isNamed) {
        List<NodeStory> kept = new ArrayList<>();
        boolean isShared = isTold;
        for (SharedPart one : parts.stream().sorted(FULLEST).toList()) {
            boolean isFirst = kept.isEmpty() && !isNamed;
            boolean tells = size(one.part()) > 0 || isFirst || (gaps(one.part()) > 0 && !(one.shared() && isSure));
            if (tells && !(one.shared() && isShared)) {
                kept.add(one.part()); // what it could not look at is part of it
                isShared |= one.shared();
            } else if (isOfInstance(one.part())) {
                kept.add(one.ofInstance().part());
            }
        }
        return kept;
    }

    /** Whether it has what differs between instances. */
    private static boolean isOfInstance(NodeStory part) {
        return !part.troubles().isEmpty()
                || !part.pauses().isEmpty()
                || !part.moved().isEmpty();
    }

    static int size(NodeStory part) {
        return part.sagas().size()
                + part.messages().size()
                + part.outbox().size()
                + part.scheduled().size();
    }

    private static int gaps(NodeStory part) {
        return (int) part.looked().stream().filter(Gathered::isGap).count();
    }
}
