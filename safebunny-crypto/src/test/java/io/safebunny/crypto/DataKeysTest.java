// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.test.encryption.MemoryKeys;
import java.security.InvalidKeyException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DataKeysTest {

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final MemoryKeys provider = MemoryKeys.of("payments", "names");
    private final DataKeys keys = new DataKeys(provider, timeline);

    @Test
    void oneEncryptsForFiveMinutes() {
        DataKey first = keys.current("payments");
        timeline.advance(DataKeys.RENEWED_AFTER.minusNanos(1));
        assertThat(keys.current("payments")).isSameAs(first);

        timeline.advance(Duration.ofNanos(1));
        assertThat(keys.current("payments").key()).isNotEqualTo(first.key());
        assertThat(provider.calls()).isEqualTo(2);
    }

    @Test
    void eachNameHasItsOwn() {
        assertThat(keys.current("payments").key())
                .isNotEqualTo(keys.current("names").key());
        assertThat(keys.current("names").wrapped().keyId()).isEqualTo("names-1");
    }

    @Test
    void aRotationIsFollowedWithTheNextDataKey() {
        DataKey first = keys.current("payments");
        String second = provider.rotate("payments");
        assertThat(keys.current("payments")).isSameAs(first);

        timeline.advance(DataKeys.RENEWED_AFTER);
        assertThat(keys.current("payments").wrapped().keyId()).isEqualTo(second);
    }

    @Test
    void encryptsWithWhatItHasForAnHourWhileTheServiceIsAway() {
        DataKey first = keys.current("payments");
        provider.goAway();
        timeline.advance(DataKeys.LONGEST_USE.minusNanos(1));
        assertThat(keys.current("payments")).isSameAs(first);

        timeline.advance(Duration.ofNanos(1));
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> keys.current("payments"));
        provider.comeBack();
        timeline.advance(Renewed.ASKED_AGAIN_AFTER);
        assertThat(keys.current("payments").key()).isNotEqualTo(first.key());
    }

    /** The result of a step that has run is still to be stored. */
    @Test
    void encryptsWithWhatItHasForTenMinutesWhereTheKeyIsUnknown() {
        DataKey first = keys.current("payments");
        provider.remove("payments-1");
        timeline.advance(DataKeys.LONGEST_USE_OF_UNKNOWN.minusNanos(1));
        assertThat(keys.current("payments")).isSameAs(first);

        timeline.advance(Duration.ofSeconds(5)); // as often as it is asked for meanwhile
        assertThatExceptionOfType(UnknownKeyException.class).isThrownBy(() -> keys.current("payments"));
    }

    @Test
    void opensEachOnce() {
        DataKey sent = provider.current("payments");
        for (int i = 0; i < 1_000; i++) {
            assertThat(keys.open(sent.wrapped())).isEqualTo(sent.key());
        }
        assertThat(provider.calls()).isEqualTo(2);
    }

    @Test
    void forgetsWhatItOpenedAfterAnHour() {
        DataKey sent = provider.current("payments");
        keys.open(sent.wrapped());
        provider.remove("payments-1");
        timeline.advance(DataKeys.REMEMBERED.minusNanos(1));
        assertThat(keys.open(sent.wrapped())).isEqualTo(sent.key());

        timeline.advance(Duration.ofNanos(1));
        assertThatExceptionOfType(UnknownKeyException.class).isThrownBy(() -> keys.open(sent.wrapped()));
    }

    @Test
    void whileTheServiceIsAwayItIsAskedOnceASecond() {
        DataKey sent = provider.current("payments");
        AtomicInteger asked = new AtomicInteger();
        DataKeys away = new DataKeys(
                new KeyProvider() {
                    @Override
                    public DataKey current(String key) {
                        return provider.current(key);
                    }

                    @Override
                    public SecretKey open(WrappedKey wrapped) {
                        asked.incrementAndGet();
                        throw new KeysUnavailableException("away", null);
                    }
                },
                timeline);
        for (int i = 0; i < 100; i++) {
            assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> away.open(sent.wrapped()));
        }
        assertThat(asked).hasValue(1);

        timeline.advance(Renewed.ASKED_AGAIN_AFTER);
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> away.open(sent.wrapped()));
        assertThat(asked).hasValue(2);
    }

    /** Asks the provider of this test, one call at a time, once the latch lets it. */
    private static final class Slow implements KeyProvider {
        final CountDownLatch answer = new CountDownLatch(1);
        final AtomicInteger asked = new AtomicInteger();
        private final KeyProvider provider;

        Slow(KeyProvider provider) {
            this.provider = provider;
        }

        @Override
        public DataKey current(String key) {
            return provider.current(key);
        }

        @Override
        public SecretKey open(WrappedKey wrapped) {
            asked.incrementAndGet();
            if (wrapped.keyId().startsWith("payments")) {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new KeysUnavailableException("interrupted", e);
                }
            }
            return provider.open(wrapped);
        }
    }

    private List<CompletableFuture<SecretKey>> opening(DataKeys keys, WrappedKey wrapped, Slow slow, int times) {
        List<CompletableFuture<SecretKey>> opening = Stream.generate(
                        () -> CompletableFuture.supplyAsync(() -> keys.open(wrapped), task -> new Thread(task).start()))
                .limit(times)
                .toList();
        await().until(() -> slow.asked.get() == 1 && timeline.pending() == times - 1);
        return opening;
    }

    @Test
    void oneAsksForAllWhoNeedTheSameAndNobodyElseWaits() {
        Slow slow = new Slow(provider);
        DataKeys shared = new DataKeys(slow, timeline);
        DataKey sent = provider.current("payments");
        List<CompletableFuture<SecretKey>> opening = opening(shared, sent.wrapped(), slow, 50);

        DataKey other = provider.current("names");
        assertThat(shared.open(other.wrapped())).isEqualTo(other.key());
        slow.answer.countDown();
        assertThat(opening)
                .allSatisfy(each ->
                        assertThat(each).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(sent.key()));
        assertThat(slow.asked).hasValue(2);
    }

    @Test
    void aFailureIsThatOfThoseWhoWaitedForIt() {
        Slow slow = new Slow(provider);
        DataKeys shared = new DataKeys(slow, timeline);
        WrappedKey sent = provider.current("payments").wrapped();
        List<CompletableFuture<SecretKey>> opening = opening(shared, sent, slow, 3);
        provider.remove("payments-1");
        slow.answer.countDown();
        Set<Throwable> failures = Collections.newSetFromMap(new IdentityHashMap<>());
        assertThat(opening).allSatisfy(each -> assertThat(each)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(UnknownKeyException.class)
                .satisfies(failures::add));
        assertThat(failures).as("each its own, to which others may add").hasSize(3);

        assertThatExceptionOfType(UnknownKeyException.class).isThrownBy(() -> shared.open(sent));
        assertThat(slow.asked).hasValue(2);
    }

    /** Such as that no policy allows it. */
    @Test
    void aKeyThatIsNotGivenKeepsNoOtherFromBeingAskedFor() {
        DataKeys some = new DataKeys(
                new KeyProvider() {
                    @Override
                    public DataKey current(String key) {
                        return provider.current(key);
                    }

                    @Override
                    public SecretKey open(WrappedKey wrapped) {
                        if (wrapped.keyId().startsWith("payments")) {
                            throw new KeysUnavailableException("no policy allows it", null);
                        }
                        return provider.open(wrapped);
                    }
                },
                timeline);
        DataKey names = provider.current("names");
        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> some.open(provider.current("payments").wrapped()));

        assertThat(some.open(names.wrapped())).isEqualTo(names.key());
        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> some.open(new WrappedKey("payments-2", new byte[40])))
                .havingCause()
                .isInstanceOf(KeysUnavailableException.class);
    }

    /** Whoever can send may make up any number of names. */
    @Test
    void tellsABoundedNumberOfKeysApartWhileTheServiceIsAway() {
        AtomicInteger asked = new AtomicInteger();
        DataKeys away = new DataKeys(
                new KeyProvider() {
                    @Override
                    public DataKey current(String key) {
                        return provider.current(key);
                    }

                    @Override
                    public SecretKey open(WrappedKey wrapped) {
                        asked.incrementAndGet();
                        throw new KeysUnavailableException("away", null);
                    }
                },
                timeline);
        for (int i = 0; i < 1_000; i++) {
            WrappedKey madeUp = new WrappedKey("name" + i + "x-1", new byte[40]);
            assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> away.open(madeUp));
        }
        assertThat(asked.get()).isLessThanOrEqualTo(101);
    }

    /** Nothing else renews what an instance without messages has. */
    @Test
    void tellsWithWhichKeyItWouldEncryptNow() {
        keys.current("payments");
        provider.rotate("payments");
        assertThat(keys.encryptingWith()).containsExactly("payments-1");

        timeline.advance(Duration.ofDays(7));
        assertThat(keys.encryptingWith()).containsExactly("payments-2");

        timeline.advance(Duration.ofDays(7));
        provider.rotate("payments");
        provider.goAway();
        assertThat(keys.encryptingWith()).containsExactly("payments-2");
    }

    @Test
    void tellsWhichIdsAreThoseOfKeys() {
        assertThat(keys.knows("payments-1")).isTrue();
        assertThat(List.of("payments", "payments-2", "Payments-1", "")).noneMatch(keys::knows);

        provider.goAway();
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> keys.knows("payments-1"));
    }

    @Test
    void whatAProviderDidNotTranslateIsAFailureOfThisTry() {
        WrappedKey wrapped = provider.current("payments").wrapped();
        DataKeys failing = new DataKeys(
                new KeyProvider() {
                    @Override
                    public DataKey current(String key) {
                        throw new IllegalStateException("s3cret");
                    }

                    @Override
                    public SecretKey open(WrappedKey each) {
                        throw new IllegalStateException("s3cret");
                    }
                },
                timeline);

        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> failing.open(wrapped))
                .withMessageContaining("IllegalStateException")
                .withMessageNotContaining("s3cret");
        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> failing.current("payments"))
                .withMessageNotContaining("s3cret");
    }

    @Test
    void aKeyThatDoesNotTellItsBytesEncryptsNothing() {
        SecretKey mute = new SecretKey() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getAlgorithm() {
                return "AES";
            }

            @Override
            public String getFormat() {
                return "RAW";
            }

            @Override
            public byte @Nullable [] getEncoded() {
                return null;
            }
        };
        WrappedKey wrapped = provider.current("payments").wrapped();

        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() ->
                        SealedBody.seal(new DataKey(mute, wrapped), null, new byte[32], new byte[0], new byte[0]));
        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() -> SealedBody.seal(
                        new DataKey(new SecretKeySpec(new byte[16], "AES"), wrapped),
                        null,
                        new byte[32],
                        new byte[0],
                        new byte[0]));
    }

    /** Whoever can send may make up any number of them. */
    @Test
    void remembersABoundedNumber() {
        DataKey first = provider.current("payments");
        keys.open(first.wrapped());
        for (int i = 0; i < 1_000; i++) {
            keys.open(provider.current("names").wrapped());
        }
        int calls = provider.calls();

        keys.open(first.wrapped());

        assertThat(provider.calls()).isEqualTo(calls + 1);
    }
}
