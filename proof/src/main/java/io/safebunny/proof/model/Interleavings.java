// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.store.MessageStore;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;

/** Many runs, one seed after the other, until one deviates. */
public final class Interleavings {

    /** Sagas that share one world. */
    public static final int TOGETHER = 10;

    private final Map<String, Integer> seen = new TreeMap<>();
    private final Run run;
    private long done;

    private Interleavings(Run run) {
        this.run = run;
    }

    /** @param stores what stands between the engines and their stores */
    public static Interleavings ofSagas(UnaryOperator<MessageStore> stores) {
        return new Interleavings((seed, seen) -> new Interleaving(seed, TOGETHER, stores, seen).run());
    }

    /** @param stores what stands between the participant and its store */
    public static Interleavings ofUndos(UnaryOperator<MessageStore> stores) {
        return new Interleavings((seed, seen) -> new UndoOrders(seed, TOGETHER, stores, seen).run());
    }

    /** Two versions of an application side by side. */
    public static Interleavings ofVersions() {
        return new Interleavings((seed, seen) -> new Tours(seed, TOGETHER).run());
    }

    /** Some sagas at once, with everything random from one seed. */
    @FunctionalInterface
    private interface Run {
        void play(long seed, Map<String, Integer> seen);
    }

    /**
     * @param sagas how many, {@link #TOGETHER} with each seed from the first on
     * @param progress is told how many are done
     * @return the first deviation and its seed; empty if there was none
     */
    public String run(long firstSeed, long sagas, LongConsumer progress) {
        for (long seed = firstSeed; done < sagas; seed++) {
            try {
                run.play(seed, seen);
            } catch (RuntimeException | Error e) {
                String what = e instanceof DeviationException ? String.valueOf(e.getMessage()) : trace(e);
                return "seed %s: %s".formatted(seed, what);
            }
            done += TOGETHER;
            progress.accept(done);
        }
        return "";
    }

    private static String trace(Throwable e) {
        StringBuilder text = new StringBuilder(e.toString());
        for (StackTraceElement element : e.getStackTrace()) {
            if (text.length() < 2_000) {
                text.append(" < ").append(element);
            }
        }
        return text.toString();
    }

    public long done() {
        return done;
    }

    /** What happened, and how often. */
    public Map<String, Integer> seen() {
        return seen;
    }
}
