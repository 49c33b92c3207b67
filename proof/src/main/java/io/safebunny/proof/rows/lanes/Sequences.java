// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the effects of all keys say. Immutable.
 *
 * @param inverted messages whose first effect came after that of a later one
 * @param overlapping messages that had begun before the one before had ended, as far as that is known
 * @param repeated effects of messages that had one already
 * @param lost messages that should have one and have none
 * @param unwanted messages that have one, although they were set aside and never replayed
 */
record Sequences(int inverted, int overlapping, int repeated, int lost, int unwanted) {

    private record Place(String key, int number) {}

    static Sequences of(List<Effect> effects, List<Step> wanted) {
        Set<Place> missing = new HashSet<>();
        wanted.forEach(step -> missing.add(new Place(step.key(), step.number())));
        Set<Place> seen = new HashSet<>();
        Map<String, Integer> latest = new HashMap<>();
        Map<String, Integer> highest = new HashMap<>();
        int inverted = 0;
        int overlapping = 0;
        int repeated = 0;
        int unwanted = 0;
        for (Effect effect : effects) {
            Integer before = latest.put(effect.key(), effect.number());
            if (effect.preceding() != null && effect.preceding() != (before == null ? -1 : before)) {
                overlapping++;
            }
            Place place = new Place(effect.key(), effect.number());
            if (!seen.add(place)) {
                repeated++;
                continue;
            }
            unwanted += missing.remove(place) ? 0 : 1;
            Integer most = highest.merge(effect.key(), effect.number(), Math::max);
            inverted += most > effect.number() ? 1 : 0;
        }
        return new Sequences(inverted, overlapping, repeated, missing.size(), unwanted);
    }
}
