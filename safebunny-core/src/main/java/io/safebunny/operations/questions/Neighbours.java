// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.node.Node;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The other instances, of any node, that were heard within a day and have not said that they stop. Thread-safe. */
public final class Neighbours {

    private static final Duration REMEMBERED = Duration.ofDays(1);

    /** How long after its farewell an instance may still be heard, because messages overtake each other. */
    private static final Duration ECHO = Duration.ofSeconds(10);

    /** Maximum number of known instances. Beyond it a new one takes the place of one that was not heard lately, or is ignored. */
    static final int MOST = 1_000;

    private final Timeline timeline;
    private final Duration lately;
    private final Map<String, Neighbour> heard = new TreeMap<>(); // guarded by this, like those that have left
    private final Map<String, Long> left = new HashMap<>();

    public Neighbours(Node node) {
        this.timeline = node.timeline();
        this.lately = node.options().lease().multipliedBy(3);
    }

    /** How long an instance that says nothing is assumed to be running: hints come once a lease. */
    public Duration lately() {
        return lately;
    }

    /**
     * Another instance.
     *
     * @param at when it was last heard, by this instance's clock
     * @param nanos the same by the monotonic clock
     */
    record Neighbour(Sender who, Instant at, long nanos) {}

    public synchronized void heard(Sender who) {
        forget();
        String instance = who.instance();
        if (!left.containsKey(instance) && (heard.containsKey(instance) || hasPlace())) {
            heard.put(instance, new Neighbour(who, timeline.now(), timeline.nanoTime()));
        }
    }

    /** Forgets the one that has been silent longest if there are too many: it has probably crashed. */
    private boolean hasPlace() {
        if (heard.size() < MOST) {
            return true;
        }
        Neighbour silent = Collections.min(heard.values(), Comparator.comparingLong(Neighbour::nanos));
        return !isHeardLately(silent) && heard.remove(silent.who().instance(), silent);
    }

    public synchronized void left(String instance) {
        forget();
        heard.remove(instance);
        if (left.size() < MOST) {
            left.put(instance, timeline.nanoTime());
        }
    }

    synchronized List<Neighbour> all() {
        forget();
        return List.copyOf(heard.values());
    }

    /** Names of the instances of a node that were heard lately. */
    synchronized Set<String> heardLately(String node) {
        return all().stream()
                .filter(neighbour -> neighbour.who().node().equals(node) && isHeardLately(neighbour))
                .map(neighbour -> neighbour.who().instance())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void forget() {
        heard.values().removeIf(neighbour -> !isWithin(REMEMBERED, neighbour.nanos()));
        left.values().removeIf(nanos -> !isWithin(ECHO, nanos));
    }

    boolean isHeardLately(Neighbour neighbour) {
        return isWithin(lately, neighbour.nanos());
    }

    private boolean isWithin(Duration time, long nanos) {
        return timeline.nanoTime() - nanos <= time.toNanos();
    }
}
