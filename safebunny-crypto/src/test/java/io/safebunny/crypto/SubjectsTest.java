// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.Erasure;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.test.encryption.MemorySubjectKeys;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Keys of persons: made once, remembered for a minute, and destroyed. */
class SubjectsTest {

    private static final String ADA = "ada@example.org";

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final MemoryKeys keys = MemoryKeys.of("subjects", "payments");
    private final MemorySubjectKeys place = new MemorySubjectKeys();
    private final Subjects one = instance();
    private final Subjects other = instance();

    private Subjects instance() {
        return new Subjects(keys, "subjects", place, timeline);
    }

    @Test
    void allInstancesHaveTheSameKeyOfAPersonAndPersonsHaveDifferentOnes() {
        SealedBody.Subject ada = one.current(ADA);

        assertThat(other.current(ADA)).isEqualTo(ada);
        assertThat(other.open(ada.keyId())).isEqualTo(ada.key());
        assertThat(one.current("bob").key()).isNotEqualTo(ada.key());
        assertThat(ada.keyId()).matches("[0-9a-f]{32}");
    }

    @Test
    void thePlaceIsToldNeitherPersonNorKey() {
        SealedBody.Subject ada = one.current(ADA);
        SubjectKey stored = Objects.requireNonNull(place.findById(ada.keyId()));
        byte[] sealed = Objects.requireNonNull(stored.sealed());

        assertThat(stored.subject()).matches("[0-9a-f]{64}");
        assertThat(stored.wrappingKey()).isEqualTo("subjects-1");
        assertThat(new String(sealed, StandardCharsets.ISO_8859_1))
                .doesNotContain(ADA)
                .doesNotContain(new String(ada.key().getEncoded(), StandardCharsets.ISO_8859_1));
    }

    @Test
    void theKeyServiceIsNotAskedForEachPerson() {
        for (int i = 0; i < 500; i++) {
            SealedBody.Subject unused = one.current("person " + i);
        }

        assertThat(keys.calls()).isLessThanOrEqualTo(2);
    }

    @Test
    void aKeyIsRememberedForHalfAMinute() {
        SealedBody.Subject ada = one.current(ADA);
        Object unused = other.open(ada.keyId());
        int calls = place.calls();
        timeline.advance(Duration.ofSeconds(29));
        Object remembered = other.open(ada.keyId());
        assertThat(place.calls()).isEqualTo(calls);

        timeline.advance(Duration.ofSeconds(1));
        Object again = other.open(ada.keyId());
        assertThat(place.calls()).isEqualTo(calls + 1);
        assertThat(again).isEqualTo(remembered);
    }

    @Test
    void erasingHoldsAtOtherInstancesAfterAMinute() {
        SealedBody.Subject ada = one.current(ADA);
        assertThat(other.open(ada.keyId())).isEqualTo(ada.key());
        Instant at = timeline.now();

        Erasure erased = one.erase(ADA);

        assertThat(erased.hadKey()).isTrue();
        assertThat(erased.erasedAt()).isEqualTo(at);
        assertThat(erased.holdsFrom()).isEqualTo(at.plusSeconds(60));
        assertThat(erased.toString()).doesNotContain(ADA);
        assertThatExceptionOfType(SubjectErasedException.class).isThrownBy(() -> one.open(ada.keyId()));
        timeline.advance(Duration.ofMinutes(1));
        assertThatExceptionOfType(SubjectErasedException.class)
                .isThrownBy(() -> other.open(ada.keyId()))
                .satisfies(e -> assertThat(e.erasedAt()).isEqualTo(at))
                .withMessageContainingAll("SB-3022", at.toString());
        assertThat(Objects.requireNonNull(place.findById(ada.keyId())).sealed()).isNull();
    }

    @Test
    void erasingIsRepeatedWithoutHarmAndSomebodyUnknownIsNoFailure() {
        SealedBody.Subject unused = one.current(ADA);
        Erasure first = one.erase(ADA);
        timeline.advance(Duration.ofHours(1));

        Erasure again = other.erase(ADA);
        assertThat(again.hadKey()).isFalse();
        assertThat(again.erasedAt()).isEqualTo(first.erasedAt());
        assertThat(again.subject()).isEqualTo(first.subject());
        Erasure unknown = one.erase("nobody");
        assertThat(unknown.hadKey()).isFalse();
        assertThat(unknown.erasedAt()).isNull();
        assertThat(unknown.holdsFrom()).isNull();
    }

    @Test
    void lookingChangesNothing() {
        SealedBody.Subject ada = one.current(ADA);

        assertThat(one.find(ADA).hadKey()).isTrue();
        assertThat(one.find(ADA).erasedAt()).isNull();
        assertThat(one.open(ada.keyId())).isEqualTo(ada.key());
    }

    @Test
    void whoComesBackHasANewKey() {
        SealedBody.Subject before = one.current(ADA);
        Instant holdsFrom = Objects.requireNonNull(one.erase(ADA).holdsFrom());
        // somebody may have read with the old one what would be encrypted with the new one
        timeline.advance(Duration.between(timeline.now(), holdsFrom).minusMillis(1));
        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> other.current(ADA))
                .withMessageContaining("erased a moment ago")
                .withMessageNotContaining(ADA);
        timeline.advance(Duration.ofMillis(1));
        SealedBody.Subject after = one.current(ADA);

        assertThat(after.keyId()).isNotEqualTo(before.keyId());
        assertThat(after.key()).isNotEqualTo(before.key());
        assertThat(one.find(ADA).hadKey()).isTrue();
        assertThat(one.find(ADA).erasedAt()).isNotNull();
    }

    @Test
    void aPlaceThatIsAwayIsAskedOnceASecond() {
        SealedBody.Subject ada = one.current(ADA);
        timeline.advance(Duration.ofMinutes(1));
        place.goAway();
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> one.open(ada.keyId()));
        place.comeBack();
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> one.current(ADA));

        timeline.advance(Duration.ofSeconds(1));
        assertThat(one.open(ada.keyId())).isEqualTo(ada.key());
    }

    @Test
    void aKeyThatIsNotThereIsUnknown() {
        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> one.open("0123456789abcdef0123456789abcdef"));
    }

    @Test
    void aKeyUnderAnotherPersonsNameIsRefused() {
        SubjectKey ada = Objects.requireNonNull(place.findById(one.current(ADA).keyId()));
        boolean unused = place.erase(ada.subject(), timeline.now());
        String id = "00000000000000000000000000000000";
        SubjectKey moved = place.addIfAbsent(new SubjectKey(id, "bob's hash", ada.wrappingKey(), ada.sealed(), null));

        assertThatExceptionOfType(UnknownKeyException.class).isThrownBy(() -> one.open(moved.id()));
    }

    @Test
    void aPersonNeedsAName() {
        assertThatExceptionOfType(MisuseException.class).isThrownBy(() -> one.erase(" "));
        assertThatExceptionOfType(MisuseException.class).isThrownBy(() -> one.find("x".repeat(257)));
    }

    @Encrypted(key = "payments", subject = "customer")
    record Order(@Nullable String customer) {}

    @Encrypted(key = "payments", subject = "nobody")
    record Misspelt(String customer) {}

    @Encrypted(key = "payments", subject = "customer")
    record Nested(Order customer) {}

    @Encrypted(key = "payments", subject = "customer")
    interface About {
        UUID customer();
    }

    record Hello(UUID customer) implements About {}

    @Encrypted(key = "payments", subject = "customer")
    static class Bean {
        public long getCustomer() {
            return 17;
        }
    }

    private EncryptingCodec codec(@Nullable Subjects subjects) {
        return new EncryptingCodec(keys, timeline, Set.of(), subjects);
    }

    @Test
    void aSubjectThatIsNoPropertyIsRefused() {
        for (Class<?> type : Set.of(Misspelt.class, Nested.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> codec(one).of(type))
                    .withMessageContainingAll("SB-1318", type.getName());
        }
    }

    @Test
    void aSubjectNeedsAPlaceForItsKeys() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> codec(null).of(Order.class))
                .withMessageContainingAll("SB-1319", "SubjectKeys");
        Subjects keyless = new Subjects(MemoryKeys.of("payments"), "subjects", place, timeline);
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> codec(keyless).of(Order.class))
                .withMessageContainingAll("SB-1319", "subjects");
        place.goAway();
        assertThat(codec(instance()).of(Order.class)).isNotNull();
    }

    /** At the start that is told at once; later it is an outage, and no message is set aside for it. */
    @Test
    void aPlaceThatIsNotThereFailsTheStart() {
        Subjects nowhere = new Subjects(
                keys,
                "subjects",
                new ForwardingSubjectKeys() {
                    @Override
                    public @Nullable SubjectKey find(String subject) {
                        throw new ConfigurationException("SB-1402", "There is no table.", "Run the script.");
                    }
                },
                timeline);

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> codec(nowhere).of(Order.class))
                .withMessageContaining("SB-1402");
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> nowhere.current(ADA));
    }

    @Test
    void ofTwoWhoMakeAKeyAtOnceBothGetTheOneThatIsKept() {
        SealedBody.Subject first = one.current(ADA);
        Subjects late = new Subjects(
                keys,
                "subjects",
                new ForwardingSubjectKeys() {
                    @Override
                    public @Nullable SubjectKey find(String subject) {
                        return subject.equals(SubjectSealing.SECRET) ? place.find(subject) : null; // not there yet
                    }
                },
                timeline);

        assertThat(late.current(ADA)).isEqualTo(first);
    }

    private class ForwardingSubjectKeys implements SubjectKeys {
        @Override
        public @Nullable SubjectKey find(String subject) {
            return place.find(subject);
        }

        @Override
        public @Nullable SubjectKey findById(String id) {
            return place.findById(id);
        }

        @Override
        public SubjectKey addIfAbsent(SubjectKey fresh) {
            return place.addIfAbsent(fresh);
        }

        @Override
        public boolean erase(String subject, Instant at) {
            return place.erase(subject, at);
        }

        @Override
        public @Nullable SubjectKey findErased(String subject) {
            return place.findErased(subject);
        }
    }

    @Test
    void propertiesOfRecordsInterfacesAndBeansNameAPerson() {
        UUID id = UUID.randomUUID();

        assertThat(Objects.requireNonNull(SubjectProperty.of(Order.class, "customer"))
                        .of(new Order(ADA)))
                .isEqualTo(ADA);
        assertThat(Objects.requireNonNull(SubjectProperty.of(About.class, "customer"))
                        .of(new Hello(id)))
                .isEqualTo(id.toString());
        assertThat(Objects.requireNonNull(SubjectProperty.of(Bean.class, "customer"))
                        .of(new Bean()))
                .isEqualTo("17");
        assertThat(SubjectProperty.of(Order.class, "")).isNull();
    }

    @Test
    void aPayloadThatNamesNobodyIsNotEncrypted() {
        for (@Nullable String subject : new String[] {null, "", " ", "x".repeat(257)}) {
            assertThatExceptionOfType(InvalidPublicationException.class)
                    .isThrownBy(() ->
                            Objects.requireNonNull(codec(one).of(Order.class)).ofPayload(() -> new Order(subject)))
                    .withMessageContainingAll("subject=customer", Order.class.getName());
        }
    }
}
