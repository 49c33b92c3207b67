// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.SubjectKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of every {@link SubjectKeys}. Extend it and create yours. */
public abstract class SubjectKeysContract {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00.123Z");
    private static final int LONGEST = 1_400;

    /** A place of keys, which may have keys of other tests. Called for each instance that a test has. */
    protected abstract SubjectKeys keys() throws Exception;

    private static SubjectKey fresh(String subject) {
        byte[] sealed = new byte[LONGEST];
        new Random(7).nextBytes(sealed);
        return new SubjectKey(UUID.randomUUID().toString().replace("-", ""), subject, "subjects-1", sealed, null);
    }

    /** A person whom no other test has. */
    private static String person() {
        byte[] hash = new byte[32];
        new Random().nextBytes(hash);
        return HexFormat.of().formatHex(hash);
    }

    private static void assertSame(SubjectKey one, SubjectKey other) {
        assertThat(one).usingRecursiveComparison().isEqualTo(other);
    }

    @Test
    public void givesWhatWasAddedByPersonAndById() throws Exception {
        SubjectKeys keys = keys();
        SubjectKey fresh = fresh(person());

        assertThat(keys.find(fresh.subject())).isNull();
        assertThat(keys.findById(fresh.id())).isNull();
        assertSame(keys.addIfAbsent(fresh), fresh);

        assertSame(Objects.requireNonNull(keys().find(fresh.subject())), fresh);
        assertSame(Objects.requireNonNull(keys().findById(fresh.id())), fresh);
    }

    @Test
    public void countsByTheKeyUnderWhichTheyAreEncrypted() throws Exception {
        SubjectKeys keys = keys();
        String wrapping = "subjects-" + UUID.randomUUID();
        SubjectKey first = under(wrapping);
        keys.addIfAbsent(first);
        keys.addIfAbsent(under(wrapping));
        Map<String, Long> counts = keys().countByWrappingKey();
        assumeThat(counts).isNotNull();
        assertThat(counts).containsEntry(wrapping, 2L);

        keys.erase(first.subject(), NOON);
        assertThat(keys().countByWrappingKey()).containsEntry(wrapping, 1L);
    }

    private static SubjectKey under(String wrappingKey) {
        SubjectKey fresh = fresh(person());
        return new SubjectKey(fresh.id(), fresh.subject(), wrappingKey, fresh.sealed(), null);
    }

    @Test
    public void aPersonHasOneKey() throws Exception {
        SubjectKeys keys = keys();
        SubjectKey first = keys.addIfAbsent(fresh(person()));
        SubjectKey second = fresh(first.subject());

        assertSame(keys.addIfAbsent(second), first);
        assertThat(keys.findById(second.id())).isNull();
        assertSame(Objects.requireNonNull(keys.find(first.subject())), first);
    }

    @Test
    public void ofManyWhoAddAtOnceAllGetTheSame() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 10; round++) {
                String person = person();
                CyclicBarrier start = new CyclicBarrier(8);
                List<Future<String>> all = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    SubjectKeys own = keys();
                    all.add(threads.submit(() -> {
                        int unused = start.await();
                        return own.addIfAbsent(fresh(person)).id();
                    }));
                }
                String inUse = all.get(0).get();
                for (Future<String> each : all) {
                    assertThat(each.get()).isEqualTo(inUse);
                }
                assertThat(Objects.requireNonNull(keys().find(person)).id()).isEqualTo(inUse);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    public void oneThatIsErasedIsGoneAndStillKnown() throws Exception {
        SubjectKeys keys = keys();
        SubjectKey key = keys.addIfAbsent(fresh(person()));
        SubjectKey other = keys.addIfAbsent(fresh(person()));

        assertThat(keys.erase(key.subject(), NOON)).isTrue();

        assertThat(keys().find(key.subject())).isNull();
        assertSame(Objects.requireNonNull(keys().findById(key.id())), key.erased(NOON));
        assertSame(Objects.requireNonNull(keys().findErased(key.subject())), key.erased(NOON));
        assertSame(Objects.requireNonNull(keys().find(other.subject())), other);
        assertThat(keys().findErased(other.subject())).isNull();
    }

    @Test
    public void erasingMayBeRepeatedAndConcernPersonsWithoutAKey() throws Exception {
        SubjectKeys keys = keys();
        SubjectKey key = keys.addIfAbsent(fresh(person()));

        assertThat(keys.erase(person(), NOON)).isFalse();
        assertThat(keys.erase(key.subject(), NOON)).isTrue();
        assertThat(keys.erase(key.subject(), NOON.plusSeconds(60))).isFalse();

        assertThat(Objects.requireNonNull(keys.findErased(key.subject())).erasedAt())
                .isEqualTo(NOON);
    }

    @Test
    public void aPersonWhoWasErasedGetsANewKeyAndTheOldOneStaysErased() throws Exception {
        SubjectKeys keys = keys();
        SubjectKey first = keys.addIfAbsent(fresh(person()));
        boolean unused = keys.erase(first.subject(), NOON);
        SubjectKey second = fresh(first.subject());

        assertSame(keys.addIfAbsent(second), second);
        assertThat(Objects.requireNonNull(keys.findById(first.id())).isErased()).isTrue();
        assertThat(keys.erase(first.subject(), NOON.plusSeconds(60))).isTrue();
        assertSame(Objects.requireNonNull(keys.findErased(first.subject())), second.erased(NOON.plusSeconds(60)));
    }
}
