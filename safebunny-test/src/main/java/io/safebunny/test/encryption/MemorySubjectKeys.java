// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.encryption;

import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.SubjectKeys;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keys of persons in memory, which a test may take away for a while. Nodes that are to read each other's messages share one. Thread-safe. */
public final class MemorySubjectKeys implements SubjectKeys {

    /** Guarded by this; the oldest is first. */
    private final Map<String, SubjectKey> byId = new LinkedHashMap<>();

    private boolean isAway;
    private int calls;

    /** From now on every call fails with {@link KeysUnavailableException}. */
    public synchronized void goAway() {
        isAway = true;
    }

    public synchronized void comeBack() {
        isAway = false;
    }

    /** Number of calls that were answered. */
    public synchronized int calls() {
        return calls;
    }

    @Override
    public @Nullable SubjectKey find(String subject) {
        return answered(() -> inUse(subject));
    }

    @Override
    public @Nullable SubjectKey findById(String id) {
        return answered(() -> byId.get(id));
    }

    @Override
    public SubjectKey addIfAbsent(SubjectKey fresh) {
        SubjectKey known = answered(() -> {
            SubjectKey present = inUse(fresh.subject());
            return present == null ? byId.putIfAbsent(fresh.id(), fresh) : present;
        });
        return known == null ? fresh : known;
    }

    @Override
    public boolean erase(String subject, Instant at) {
        return answered(() -> {
                    SubjectKey present = inUse(subject);
                    return present == null ? null : byId.put(present.id(), present.erased(at));
                })
                != null;
    }

    @Override
    public @Nullable SubjectKey findErased(String subject) {
        return answered(() -> {
            SubjectKey last = null;
            for (SubjectKey key : byId.values()) {
                last = key.subject().equals(subject) && key.isErased() ? key : last;
            }
            return last;
        });
    }

    @Override
    public synchronized Map<String, Long> countByWrappingKey() {
        requireAnswer();
        return byId.values().stream()
                .filter(key -> !key.isErased())
                .collect(Collectors.groupingBy(SubjectKey::wrappingKey, TreeMap::new, Collectors.counting()));
    }

    private @Nullable SubjectKey inUse(String subject) {
        return byId.values().stream()
                .filter(key -> key.subject().equals(subject) && !key.isErased())
                .findFirst()
                .orElse(null);
    }

    private synchronized @Nullable SubjectKey answered(Supplier<@Nullable SubjectKey> question) {
        requireAnswer();
        return question.get();
    }

    private void requireAnswer() {
        if (isAway) {
            throw new KeysUnavailableException("The keys of persons of this test are away", null);
        }
        calls++;
    }
}
