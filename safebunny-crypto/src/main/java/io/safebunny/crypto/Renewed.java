// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link io.safebunny.encryption.KeyProvider} gave, and is asked for again from time to time: by one thread, while the others go on
 * with what there is. Only those who have nothing to go on with wait. Thread-safe.
 */
final class Renewed<T> {

    /** How long the service is not asked again after it did not answer. */
    static final Duration ASKED_AGAIN_AFTER = Duration.ofSeconds(1);

    private final Function<@Nullable Held<T>, Held<T>> renewal;
    private final Timeline timeline;
    private final ReentrantLock renewing = new ReentrantLock();
    private volatile @Nullable Held<T> held;
    private volatile @Nullable Outage outage;

    /** @param renewal asks for the next, given the present one; may block */
    Renewed(Function<@Nullable Held<T>, Held<T>> renewal, Timeline timeline) {
        this.renewal = renewal;
        this.timeline = timeline;
    }

    /**
     * @param at when it was given, of {@link Timeline#nanoTime}
     * @param renewAt when to ask for the next one
     * @param endsAt from when on nobody goes on with it while the next one is asked for
     */
    record Held<T>(T value, long at, long renewAt, long endsAt) {}

    /** What was given last; {@code null} if nothing was. Asks nobody. */
    @Nullable
    T known() {
        Held<T> known = held;
        return known == null ? null : known.value;
    }

    /** @throws KeysUnavailableException the service does not answer, and there is nothing to go on with */
    T get() {
        Held<T> known = held;
        long now = timeline.nanoTime();
        if (known != null && now - known.renewAt < 0) {
            return known.value;
        }
        if (known == null || now - known.endsAt >= 0) {
            renewing.lock();
        } else if (!renewing.tryLock()) {
            return known.value;
        }
        try {
            return renewed();
        } finally {
            renewing.unlock();
        }
    }

    private T renewed() {
        Held<T> present = held;
        long now = timeline.nanoTime();
        if (present != null && now - present.renewAt < 0) {
            return present.value;
        }
        Outage known = outage;
        if (known != null && now - known.at() < ASKED_AGAIN_AFTER.toNanos()) {
            throw known.again();
        }
        try {
            Held<T> next = renewal.apply(present);
            outage = null;
            held = next;
            return next.value;
        } catch (KeysUnavailableException e) {
            outage = new Outage(e, timeline.nanoTime());
            throw e;
        }
    }
}
