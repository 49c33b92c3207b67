// SPDX-License-Identifier: Apache-2.0
package io.safebunny.keys;

import io.safebunny.keys.KeyFinder.Found;
import io.safebunny.keys.KeyLook.Looked;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Notes what a look finds. Thread-safe. */
final class LookedPlaces {

    private final Instant begunAt;
    private final Map<Place, Long> counts = new EnumMap<>(Place.class);
    /** What is wrong at each place, once for each kind of fault. */
    private final Map<Place, Map<String, Long>> faults = new EnumMap<>(Place.class);

    private final Map<String, Map<Place, Long>> found = new TreeMap<>();
    private @Nullable Instant endedAt;

    LookedPlaces(Instant begunAt) {
        this.begunAt = begunAt;
    }

    /** Looks at the place, in which there may be nothing. */
    synchronized void opens(Place place) {
        counts.putIfAbsent(place, 0L);
    }

    synchronized void add(Place place, Found one) {
        counts.merge(place, 1L, Long::sum);
        one.keys.forEach(key -> uses(place, key, 1));
        faults(place, one);
    }

    /** Of a place that was looked at before: notes what is new there. */
    synchronized void addAgain(Place place, Found one) {
        one.keys.stream()
                .filter(key -> !found.getOrDefault(key, Map.of()).containsKey(place))
                .forEach(key -> uses(place, key, 1));
        if (!faults.containsKey(place)) {
            faults(place, one);
        }
    }

    private void faults(Place place, Found one) {
        fault(
                place,
                one.elsewhere,
                "%s with bodies in the store of large bodies, where nobody looks whether they are encrypted: wait until they are gone");
        fault(place, one.unclear, "%s encrypted in a way that does not tell the key: handle or discard them");
    }

    synchronized void uses(Place place, String key, long times) {
        counts.putIfAbsent(place, 0L);
        found.computeIfAbsent(key, unused -> new EnumMap<>(Place.class)).merge(place, times, Long::sum);
    }

    /** @param what with a place for the number */
    synchronized void fault(Place place, long times, String what) {
        if (times > 0) {
            counts.putIfAbsent(place, 0L);
            faults.computeIfAbsent(place, unused -> new LinkedHashMap<>()).merge(what, times, Long::sum);
        }
    }

    synchronized void incomplete(Place place, String why) {
        fault(place, 1, why.replace("%", "%%"));
    }

    /** All places: how far each was looked at is not known. */
    synchronized void breaksOff(String why) {
        opens(Place.OTHERS);
        List.copyOf(counts.keySet()).forEach(place -> incomplete(place, why));
    }

    synchronized void ends(Instant at) {
        endedAt = at;
    }

    synchronized KeyLook soFar() {
        List<Looked> places = counts.entrySet().stream()
                .map(place -> new Looked(place.getKey(), place.getValue(), incomplete(place.getKey())))
                .toList();
        Map<String, Map<Place, Long>> keys = new TreeMap<>();
        found.forEach((key, at) -> keys.put(key, Map.copyOf(at)));
        return new KeyLook(begunAt, endedAt, places, keys);
    }

    private @Nullable String incomplete(Place place) {
        Map<String, Long> known = faults.get(place);
        return known == null
                ? null
                : String.join(
                        "; ",
                        known.entrySet().stream()
                                .map(fault -> fault.getKey().formatted(fault.getValue()))
                                .toList());
    }
}
