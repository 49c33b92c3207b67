// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Decides when something goes wrong: a function of the seed, the place, the order and how often that order has been there, so
 * that races between threads do not change the decisions. Thread-safe.
 */
public final class Chaos {

    private static final int REMEMBERED = 200_000;

    private final long seed;
    private final Map<String, Integer> visits = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > REMEMBERED;
        }
    };

    public Chaos(long seed) {
        this.seed = seed;
    }

    /**
     * @param place the place where something may go wrong
     * @param key an order or a message
     * @param share fraction of visits that go wrong, 0 to 1
     */
    public boolean strikes(String place, String key, double share) {
        String visitor = place + ' ' + key;
        int visit;
        synchronized (visits) {
            visit = visits.merge(visitor, 1, Integer::sum);
        }
        return decides(visitor, visit, share);
    }

    private boolean decides(String visitor, int visit, double share) {
        long start = seed * 0x9E3779B97F4A7C15L + visitor.hashCode() * 31L + visit;
        return new SplittableRandom(start).nextDouble() < share;
    }

    /** As {@link #strikes}, but permanent: the answer is the same however often it is asked. */
    boolean dooms(String place, String key, double share) {
        return decides(place + ' ' + key, 0, share);
    }

    void strike(String place, String key, double share) {
        if (strikes(place, key, share)) {
            throw new ChaosException("Chaos struck [" + place + "]");
        }
    }
}
