// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * The data keys of one process, so that the {@link KeyProvider} is asked once for many messages. Thread-safe; no lock
 * is held for others while the provider is asked, unless they have no data key at all.
 */
final class DataKeys {

    /** How long a data key encrypts. */
    static final Duration RENEWED_AFTER = Duration.ofMinutes(5);
    /**
     * How long it goes on doing so where the provider does not know its name any more, so that what has just been done, and whose result is
     * to be stored, does not fail for that.
     */
    static final Duration LONGEST_USE_OF_UNKNOWN = Duration.ofMinutes(10);
    /** How long it goes on doing so while the key service is away. */
    static final Duration LONGEST_USE = Duration.ofHours(1);
    /** How long an opened one is remembered. */
    static final Duration REMEMBERED = Duration.ofHours(1);
    /** How long the service is not asked again to open one after it did not answer. */
    static final Duration ASKED_AGAIN_AFTER = Duration.ofSeconds(1);
    /** How long it is not asked again for a new one, where there is one to go on with. */
    private static final Duration RENEWAL_TRIED_AGAIN_AFTER = Duration.ofSeconds(5);
    /** How many opened ones are remembered. */
    private static final int MOST_OPENED = 1_000;

    private final KeyProvider provider;
    private final Timeline timeline;
    private final Map<String, Current> current = new ConcurrentHashMap<>();

    private volatile @Nullable Outage outage;

    private final Object lock = new Object();
    /** Guarded by the lock; the one used longest ago is first. */
    private final Map<WrappedKey, Opened> opened = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<WrappedKey, Opened> eldest) {
            return size() > MOST_OPENED;
        }
    };

    DataKeys(KeyProvider provider, Timeline timeline) {
        this.provider = provider;
        this.timeline = timeline;
    }

    /** What encrypts now under the key of this name. */
    DataKey current(String name) {
        return current.computeIfAbsent(name, Current::new).get();
    }

    /**
     * Opens what a message brings. While the service is away it is asked once a second, and not for each message.
     *
     * @throws UnknownKeyException the provider does not know the key, or failed with it
     * @throws KeysUnavailableException the service does not answer
     * @throws IllegalArgumentException it was not wrapped by its key
     */
    SecretKey open(WrappedKey wrapped) {
        long now = timeline.nanoTime();
        synchronized (lock) {
            Opened known = opened.get(wrapped);
            if (known != null && now - known.at < REMEMBERED.toNanos()) {
                return known.key;
            }
        }
        Outage known = outage;
        if (known != null && now - known.at < ASKED_AGAIN_AFTER.toNanos()) {
            throw new KeysUnavailableException(known.why.messageWithoutCode(), known.why);
        }
        SecretKey key = asked(wrapped); // may block, so not under the lock
        synchronized (lock) {
            opened.put(wrapped, new Opened(key, now));
        }
        return key;
    }

    private SecretKey asked(WrappedKey wrapped) {
        try {
            SecretKey key = provider.open(wrapped);
            outage = null;
            return key;
        } catch (KeysUnavailableException e) {
            outage = new Outage(e, timeline.nanoTime());
            throw e;
        } catch (UnknownKeyException | IllegalArgumentException e) {
            throw e;
        } catch (RuntimeException e) { // it may be about this one key, so the type must not stand still for it
            throw new UnknownKeyException(
                    "The KeyProvider failed [key=%s, failure=%s]: if a service was away, it should throw KeysUnavailableException."
                            .formatted(wrapped.keyId(), e.getClass().getName()),
                    e);
        }
    }

    private record Outage(KeysUnavailableException why, long at) {}

    private record Opened(SecretKey key, long at) {}

    private final class Current {

        private final String name;
        private final ReentrantLock renewing = new ReentrantLock();
        private volatile @Nullable Made made;

        Current(String name) {
            this.name = name;
        }

        /** Only who has none to use waits while another thread gets one. */
        DataKey get() {
            Made known = made;
            if (known != null && known.isRenewedAfter(timeline.nanoTime())) {
                return known.key;
            }
            if (known == null || !known.isUsable(timeline.nanoTime())) {
                renewing.lock();
            } else if (!renewing.tryLock()) {
                return known.key;
            }
            try {
                Made present = made;
                return present != null && present.isRenewedAfter(timeline.nanoTime()) ? present.key : renewed(present);
            } finally {
                renewing.unlock();
            }
        }

        private DataKey renewed(@Nullable Made before) {
            try {
                DataKey fresh = provider.current(name);
                long now = timeline.nanoTime();
                made = new Made(fresh, now, now + RENEWED_AFTER.toNanos());
                return fresh;
            } catch (UnknownKeyException e) {
                long now = timeline.nanoTime();
                if (before != null && now - before.at < LONGEST_USE_OF_UNKNOWN.toNanos()) {
                    made = before.renewedLater(now);
                    return before.key;
                }
                throw e;
            } catch (RuntimeException e) {
                long now = timeline.nanoTime();
                if (before != null && before.isUsable(now)) {
                    made = before.renewedLater(now);
                    return before.key;
                }
                throw e instanceof KeysUnavailableException away
                        ? away
                        : new KeysUnavailableException(
                                "The KeyProvider failed [key=%s, failure=%s]"
                                        .formatted(name, e.getClass().getName()),
                                e);
            }
        }
    }

    /**
     * A data key to encrypt with.
     *
     * @param at when it was made
     * @param renewAt when to ask for the next one
     */
    private record Made(DataKey key, long at, long renewAt) {

        /** Whether its time to be renewed is still to come. */
        boolean isRenewedAfter(long now) {
            return now - renewAt < 0;
        }

        Made renewedLater(long now) {
            return new Made(key, at, Math.min(now + RENEWAL_TRIED_AGAIN_AFTER.toNanos(), at + LONGEST_USE.toNanos()));
        }

        boolean isUsable(long now) {
            return now - at < LONGEST_USE.toNanos();
        }
    }
}
