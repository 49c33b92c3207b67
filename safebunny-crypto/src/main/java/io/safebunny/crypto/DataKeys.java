// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.crypto.Renewed.Held;
import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
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
    /** How long it is not asked again for a new one, where there is one to go on with. */
    private static final Duration RENEWAL_TRIED_AGAIN_AFTER = Duration.ofSeconds(5);
    /** How many opened ones are remembered. */
    private static final int MOST_OPENED = 1_000;

    private final KeyProvider provider;
    private final Timeline timeline;
    private final Map<String, Renewed<DataKey>> current = new ConcurrentHashMap<>();

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
        return current.computeIfAbsent(name, key -> new Renewed<>(before -> renewed(key, before), timeline))
                .get();
    }

    /** The keys under which the data keys are wrapped that encrypt now, or did so last. */
    Set<String> encryptingWith() {
        Set<String> ids = new TreeSet<>();
        for (Renewed<DataKey> each : current.values()) {
            DataKey known = each.known();
            if (known != null) {
                ids.add(known.wrapped().keyId());
            }
        }
        return ids;
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
        if (known != null && now - known.at() < Renewed.ASKED_AGAIN_AFTER.toNanos()) {
            throw known.again();
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

    private record Opened(SecretKey key, long at) {}

    private Held<DataKey> renewed(String name, @Nullable Held<DataKey> before) {
        try {
            DataKey fresh = provider.current(name);
            long now = timeline.nanoTime();
            return new Held<>(fresh, now, now + RENEWED_AFTER.toNanos(), now + LONGEST_USE.toNanos());
        } catch (UnknownKeyException e) {
            if (before != null && timeline.nanoTime() - before.at() < LONGEST_USE_OF_UNKNOWN.toNanos()) {
                return renewedLater(before);
            }
            throw e;
        } catch (RuntimeException e) {
            if (before != null && timeline.nanoTime() - before.endsAt() < 0) {
                return renewedLater(before);
            }
            throw e instanceof KeysUnavailableException away
                    ? away
                    : new KeysUnavailableException(
                            "The KeyProvider failed [key=%s, failure=%s]"
                                    .formatted(name, e.getClass().getName()),
                            e);
        }
    }

    private Held<DataKey> renewedLater(Held<DataKey> before) {
        long renewAt = timeline.nanoTime() + RENEWAL_TRIED_AGAIN_AFTER.toNanos();
        return new Held<>(before.value(), before.at(), Math.min(renewAt, before.endsAt()), before.endsAt());
    }
}
