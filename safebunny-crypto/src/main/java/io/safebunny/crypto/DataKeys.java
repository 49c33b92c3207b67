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
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * The data keys of one process, so that the {@link KeyProvider} is asked once for many messages, however many wait for its answer.
 * Thread-safe; while the provider is asked, only those wait who need just what it is asked for, and have nothing to go on with.
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
    /** How long one thread waits for what another one asks for: longer than a provider should take. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
    /** Of how many keys outages are remembered. */
    private static final int MOST_OUTAGES = 100;

    private static final String OTHER_KEYS = "";
    /** Of a keystore, or of Vault. */
    private static final Pattern VERSION = Pattern.compile("(-\\d+|:v\\d+)$");

    private static final byte[] NOT_WRAPPED = new byte[40];

    private final KeyProvider provider;
    private final Timeline timeline;
    private final Map<String, Renewed<DataKey>> current = new ConcurrentHashMap<>();

    /** By the name of the key: a right may be missing for one. Names come from messages, so only so many are told apart. */
    private final Map<String, Outage> outages = new ConcurrentHashMap<>();

    /** What is being opened, for those who wait for it. */
    private final Map<WrappedKey, CompletableFuture<SecretKey>> opening = new ConcurrentHashMap<>();

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

    /**
     * The keys under which the data keys are wrapped that encrypt now, of the names that have encrypted here. Asks for what is due to be
     * renewed; if the provider does not give that, tells the last.
     */
    Set<String> encryptingWith() {
        Set<String> ids = new TreeSet<>();
        for (Renewed<DataKey> each : current.values()) {
            DataKey known = renewed(each);
            if (known != null) {
                ids.add(known.wrapped().keyId());
            }
        }
        return ids;
    }

    private static @Nullable DataKey renewed(Renewed<DataKey> one) {
        try {
            return one.get();
        } catch (KeysUnavailableException | UnknownKeyException e) {
            return one.known();
        }
    }

    /**
     * Opens what a message brings. While the service does not give a key it is asked for that once a second, and not for each message.
     *
     * @throws UnknownKeyException the provider does not know the key, or failed with it
     * @throws KeysUnavailableException the service does not answer
     * @throws IllegalArgumentException it was not wrapped by its key
     */
    SecretKey open(WrappedKey wrapped) {
        SecretKey known = known(wrapped);
        if (known != null) {
            return known;
        }
        CompletableFuture<SecretKey> own = new CompletableFuture<>();
        CompletableFuture<SecretKey> anothers = opening.putIfAbsent(wrapped, own);
        if (anothers != null) {
            return awaited(wrapped, anothers);
        }
        try {
            known = known(wrapped); // by who has asked until just now
            SecretKey key = known == null ? asked(wrapped) : known; // may block, so not under the lock
            own.complete(key);
            return key;
        } catch (RuntimeException | Error e) {
            own.completeExceptionally(e);
            throw e;
        } finally {
            opening.remove(wrapped);
        }
    }

    private @Nullable SecretKey known(WrappedKey wrapped) {
        synchronized (lock) {
            Opened known = opened.get(wrapped);
            return known != null && timeline.nanoTime() - known.at < REMEMBERED.toNanos() ? known.key : null;
        }
    }

    /** What came of another thread's question; each who waits throws an exception of its own, to which it may add. */
    private SecretKey awaited(WrappedKey wrapped, CompletableFuture<SecretKey> anothers) {
        try {
            return timeline.await(anothers, LONGEST_WAIT);
        } catch (ExecutionException e) {
            Throwable why = Objects.requireNonNullElse(e.getCause(), e);
            if (why instanceof KeysUnavailableException away) {
                throw new KeysUnavailableException(away.messageWithoutCode(), away);
            }
            if (why instanceof UnknownKeyException unknown) {
                throw new UnknownKeyException(unknown.messageWithoutCode(), unknown);
            }
            if (why instanceof IllegalArgumentException) {
                throw new IllegalArgumentException(why.getMessage(), why);
            }
            throw failed(wrapped, why);
        } catch (TimeoutException e) {
            throw new KeysUnavailableException(
                    "The KeyProvider does not answer [key=%s, seconds=%s]"
                            .formatted(wrapped.keyId(), LONGEST_WAIT.toSeconds()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KeysUnavailableException(
                    "This thread was interrupted while it waited for a key [key=%s]".formatted(wrapped.keyId()), e);
        }
    }

    /**
     * Whether the provider has a key of this id, spelled in this way.
     *
     * @throws KeysUnavailableException the service does not answer
     */
    boolean knows(String keyId) {
        try {
            SecretKey unused = provider.open(new WrappedKey(keyId, NOT_WRAPPED));
            return true;
        } catch (KeysUnavailableException e) {
            throw e;
        } catch (IllegalArgumentException e) { // it has one, which did not wrap this
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private SecretKey asked(WrappedKey wrapped) {
        String name = outageOf(wrapped);
        Outage known = outages.get(name);
        long now = timeline.nanoTime();
        if (known != null && isRecent(known, now)) {
            throw known.again();
        }
        try {
            SecretKey key = provider.open(wrapped);
            outages.remove(name);
            synchronized (lock) {
                opened.put(wrapped, new Opened(key, now));
            }
            return key;
        } catch (KeysUnavailableException e) {
            outages.put(name, new Outage(e, timeline.nanoTime()));
            throw e;
        } catch (UnknownKeyException | IllegalArgumentException e) {
            throw e;
        } catch (RuntimeException e) { // it may be about this one key, so the type must not stand still for it
            throw failed(wrapped, e);
        }
    }

    private static UnknownKeyException failed(WrappedKey wrapped, Throwable why) {
        return new UnknownKeyException(
                "The KeyProvider failed [key=%s, failure=%s]: if a service was away, it should throw KeysUnavailableException."
                        .formatted(wrapped.keyId(), why.getClass().getName()),
                why);
    }

    private static boolean isRecent(Outage outage, long now) {
        return now - outage.at() < Renewed.ASKED_AGAIN_AFTER.toNanos();
    }

    /** The name of its key without the version; the same for all beyond the bound. */
    private String outageOf(WrappedKey wrapped) {
        String name = VERSION.matcher(wrapped.keyId()).replaceFirst("");
        if (outages.containsKey(name)) {
            return name;
        }
        if (outages.size() >= MOST_OUTAGES) {
            long now = timeline.nanoTime();
            outages.values().removeIf(outage -> !isRecent(outage, now));
        }
        return outages.size() < MOST_OUTAGES ? name : OTHER_KEYS;
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
