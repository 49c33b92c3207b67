// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyOperations.Instance;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** The other instances of the node that have sent something lately, and their answers to operations. Thread-safe. */
final class Instances {

    /** Maximum number of known instances. Real nodes have dozens; any beyond this limit are probably forged, and ignored. */
    private static final int MOST = 1_000;

    private final Timeline timeline;
    private final long remembered;
    private final Map<String, Long> heardAt = new TreeMap<>(); // guarded by this, as are the operations under way
    private final Map<String, Answers> open = new HashMap<>();

    /** @param remembered how long a silent instance is assumed to be running */
    Instances(Timeline timeline, Duration remembered) {
        this.timeline = timeline;
        this.remembered = remembered.toNanos();
    }

    private static final class Answers {
        private final Set<String> awaited;
        private final Map<String, Boolean> given = new TreeMap<>();
        private final CompletableFuture<Void> complete = new CompletableFuture<>();

        private Answers(Set<String> awaited) {
            this.awaited = awaited;
            check();
        }

        private void check() {
            if (given.keySet().containsAll(awaited)) {
                complete.complete(null);
            }
        }
    }

    synchronized void heard(String instance) {
        if (heardAt.size() < MOST || heardAt.containsKey(instance)) {
            heardAt.put(instance, timeline.nanoTime());
        }
    }

    synchronized void left(String instance) {
        heardAt.remove(instance);
    }

    synchronized Set<String> known() {
        long now = timeline.nanoTime();
        heardAt.values().removeIf(at -> now - at > remembered);
        return new TreeSet<>(heardAt.keySet());
    }

    /** Call this before telling the others. The future completes when all known instances have answered. */
    synchronized CompletableFuture<Void> expectAnswers(String operation) {
        Answers answers = new Answers(known());
        open.put(operation, answers);
        return answers.complete;
    }

    synchronized void answered(String operation, String instance, boolean applied) {
        Answers answers = open.get(operation);
        if (answers != null && answers.given.size() < MOST) {
            answers.given.put(instance, applied);
            answers.check();
        }
    }

    /** The instances that answered, and those that were expected to. Call once, at the end of the operation. */
    synchronized List<Instance> answers(String operation) {
        List<Instance> told = new ArrayList<>();
        Answers answers = open.remove(operation);
        if (answers != null) {
            Set<String> all = new TreeSet<>(answers.awaited);
            all.addAll(answers.given.keySet());
            all.forEach(id -> told.add(new Instance(id, answers.given.getOrDefault(id, false))));
        }
        return told;
    }
}
