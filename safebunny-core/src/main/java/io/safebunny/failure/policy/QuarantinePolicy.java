// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import io.safebunny.failure.policy.Treatment.Alone;
import io.safebunny.failure.policy.Treatment.BesideOthers;
import io.safebunny.failure.policy.Treatment.FreshCopy;
import io.safebunny.failure.policy.Treatment.SetAside;
import java.time.Duration;

/**
 * Decides what to do with a message that may be crashing the processes that handle it: it is first isolated and finally set aside, so that
 * no other message is set aside in its place. For the numbers see {@code docs/decisions/0005-delivery-limit.md}. Immutable.
 */
public final class QuarantinePolicy {

    /**
     * Failed deliveries, or silent claims, after which a message is isolated. A cut connection or an impatient deployment causes one or two
     * of them, for every message being handled at the time; so do the first crashes.
     */
    private static final int ISOLATED_AFTER = 3;

    /**
     * How long isolated and other messages of a queue wait for each other. Longer than most handlers take, but not too long for a type to
     * stand still.
     */
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final BesideOthers BESIDE_OTHERS = new BesideOthers();
    private static final FreshCopy FRESH_COPY = new FreshCopy();
    private static final SetAside SET_ASIDE = new SetAside();

    private final int limit;
    private final Alone alone;

    /**
     * @param limit failed deliveries after which the broker sets a message aside; with a record, one more claim is allowed
     * @param patience how long an isolated message waits for the others, and they for it
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
        return known.deliveries() >= ISOLATED_AFTER || known.takeovers() >= ISOLATED_AFTER ? alone : BESIDE_OTHERS;
    }

    /**
     * Failed deliveries after which a message that this process has survived is replaced by a fresh copy: half of the limit. The other half
     * is left for processes that do not know of the survival.
     */
    private int wornOut() {
        return Math.max(1, limit / 2);
    }
}
