// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.encryption;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Keys in memory: a test rotates and removes them, and takes them away for a while, as an outage of a key service does. Nodes that are to
 * read each other's messages share one. Thread-safe.
 */
public final class MemoryKeys implements KeyProvider {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;

    private final Map<String, Integer> versions = new ConcurrentHashMap<>();
    private final Map<String, SecretKey> keys = new ConcurrentHashMap<>();
    private final Map<String, SecretKey> hashKeys = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean isAway;

    /** With the first version of each. */
    public static MemoryKeys of(String... names) {
        MemoryKeys made = new MemoryKeys();
        for (String name : names) {
            String unused = made.rotate(name);
        }
        return made;
    }

    /**
     * Adds a version of a key; data keys that are made from now on are wrapped by it.
     *
     * @return its id
     */
    public String rotate(String name) {
        int version = versions.merge(name, 1, Integer::sum);
        keys.put(id(name, version), random("AES"));
        hashKeys.computeIfAbsent(name, first -> random("HmacSHA256"));
        return id(name, version);
    }

    private static SecretKey random(String algorithm) {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return new SecretKeySpec(bytes, algorithm);
    }

    /** Removes a version: from now on nobody can open what it wrapped, but who has opened it may remember that for an hour. */
    public void remove(String keyId) {
        keys.remove(keyId);
    }

    /** From now on every call fails with {@link KeysUnavailableException}. */
    public void goAway() {
        isAway = true;
    }

    public void comeBack() {
        isAway = false;
    }

    /** Number of calls that were answered. */
    public int calls() {
        return calls.get();
    }

    private static String id(String name, int version) {
        return name + '-' + version;
    }

    @Override
    public DataKey current(String key) {
        Integer version = versions.get(key);
        String id = version == null ? key : id(key, version);
        try {
            return DataKey.wrappedBy(id, known(id), RANDOM);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public SecretKey open(WrappedKey wrapped) {
        return wrapped.openedBy(known(wrapped.keyId()));
    }

    /** The same through all rotations. */
    @Override
    public @Nullable SecretKey hashKey(String key) {
        if (isAway) {
            throw away();
        }
        return hashKeys.get(key);
    }

    private static KeysUnavailableException away() {
        return new KeysUnavailableException("The keys of this test are away", null);
    }

    private SecretKey known(String id) {
        if (isAway) {
            throw away();
        }
        SecretKey key = keys.get(id);
        if (key == null) {
            throw new UnknownKeyException(
                    "Unknown key [key=%s]: this test has removed it, or never made it".formatted(id));
        }
        calls.incrementAndGet();
        return key;
    }
}
