// SPDX-License-Identifier: Apache-2.0
package io.safebunny.quarantine;

import io.safebunny.quarantine.Treatment.Alone;
import io.safebunny.quarantine.Treatment.BesideOthers;
import io.safebunny.quarantine.Treatment.FreshCopy;
import io.safebunny.quarantine.Treatment.SetAside;
import java.time.Duration;

/**
 * Decides what is done with a message that may be what ends the processes that handle it, so that it dies alone, is set aside
 * at last, and takes no innocent message with it. Why these numbers: {@code docs/decisions/0005-delivery-limit.md}. Immutable.
 */
public final class QuarantinePolicy {

    /**
     * Failed deliveries, or claims that fell silent, from which on a message is suspected. A cut connection, or a deployment that
     * loses its patience, costs one or two; so do the first deaths of a killer its neighbours.
     */
    private static final int SUSPICIOUS = 3;

    /** How long the messages of a queue wait for each other: longer than handlers usually take, and short for a type that stands still. */
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final BesideOthers BESIDE_OTHERS = new BesideOthers();
    private static final FreshCopy FRESH_COPY = new FreshCopy();
    private static final SetAside SET_ASIDE = new SetAside();

    private final int limit;
    private final Alone alone;

    /**
     * @param limit failed deliveries after which the broker sets a message aside; of a record's claims one more are begun
     * @param patience of a message that is handled alone, and of the others
     */
    public QuarantinePolicy(int limit, Duration patience) {
        this.limit = limit;
        this.alone = new Alone(patience);
    }

    /** Failed deliveries are the broker's to judge in the end: it sets a message aside without asking. */
    public Treatment decide(Evidence known) {
        if (known.takeovers() > limit) {
            return SET_ASIDE;
        }
        if (known.survived() && known.deliveries() >= wornOut()) {
            return FRESH_COPY;
        }
        return known.deliveries() >= SUSPICIOUS || known.takeovers() >= SUSPICIOUS ? alone : BESIDE_OTHERS;
    }

    /** Half of the limit: the other half is for processes that cannot know that another one survived. */
    private int wornOut() {
        return Math.max(1, limit / 2);
    }
}
