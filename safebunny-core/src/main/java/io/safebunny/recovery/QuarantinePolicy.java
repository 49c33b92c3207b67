// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.recovery.Treatment.Alone;
import io.safebunny.recovery.Treatment.BesideOthers;
import io.safebunny.recovery.Treatment.FreshCopy;
import io.safebunny.recovery.Treatment.SetAside;
import java.time.Duration;

/**
 * Decides what to do with a message that may be killing the processes that handle it, so that it dies alone, is set aside in the
 * end, and takes no innocent message with it. For the numbers see {@code docs/decisions/0005-delivery-limit.md}. Immutable.
 */
public final class QuarantinePolicy {

    /**
     * Number of failed deliveries, or silent claims, from which a message is suspected. A cut connection or an impatient
     * deployment costs one or two, and a killer's first deaths cost its neighbours as many.
     */
    private static final int SUSPICIOUS = 3;

    /**
     * How long the messages of a queue wait for each other: longer than most handlers take, but short for a type to stand still.
     */
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final BesideOthers BESIDE_OTHERS = new BesideOthers();
    private static final FreshCopy FRESH_COPY = new FreshCopy();
    private static final SetAside SET_ASIDE = new SetAside();

    private final int limit;
    private final Alone alone;

    /**
     * @param limit failed deliveries after which the broker sets a message aside; a record's claims may number one more
     * @param patience how long a message to be handled alone waits for the others, and they for it
     */
    public QuarantinePolicy(int limit, Duration patience) {
        this.limit = limit;
        this.alone = new Alone(patience);
    }

    /** Never sets a message aside for failed deliveries: the broker does that itself. */
    public Treatment decide(Evidence known) {
        if (known.takeovers() > limit) {
            return SET_ASIDE;
        }
        if (known.survived() && known.deliveries() >= wornOut()) {
            return FRESH_COPY;
        }
        return known.deliveries() >= SUSPICIOUS || known.takeovers() >= SUSPICIOUS ? alone : BESIDE_OTHERS;
    }

    /** Half of the limit; the other half is left for processes that cannot know that another one survived. */
    private int wornOut() {
        return Math.max(1, limit / 2);
    }
}
