// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.BunnySubjects;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.Erasure;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.Causes;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.details.Printable;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys of persons: makes them, remembers them for half a minute, and destroys them. Thread-safe. */
public final class Subjects implements BunnySubjects {

    private static final Logger LOG = LoggerFactory.getLogger(Subjects.class);

    private final SubjectKeys place;
    private final SubjectSealing sealing;
    private final Timeline timeline;
    private final Remembered<SealedBody.Subject> current;
    private final Remembered<Known> byId;
    /** Names persons; never changes. */
    private volatile @Nullable SecretKey secret;

    private volatile @Nullable Outage outage;

    /** After so long an erasure holds at all instances: what they remember, and the time that destroying may take. */
    private static final Duration UNTIL_IT_HOLDS = Duration.ofMinutes(1);

    /** @param keyName name of the key under which the keys of persons are encrypted, in turn */
    public Subjects(KeyProvider provider, String keyName, SubjectKeys place, Timeline timeline) {
        this.place = place;
        this.sealing = new SubjectSealing(new DataKeys(provider, timeline), keyName);
        this.timeline = timeline;
        this.current = new Remembered<>(timeline);
        this.byId = new Remembered<>(timeline);
    }

    /** One of the two. */
    private record Known(@Nullable SecretKey key, @Nullable Instant erasedAt) {}

    /**
     * Finds out whether the messages of a class can have keys of persons; if the place does not answer now, they will find that out.
     *
     * @throws ConfigurationException SB-1319 if they cannot
     */
    static void require(@Nullable Subjects subjects, Class<?> payload) {
        if (subjects == null) {
            throw new ConfigurationException(
                    "SB-1319",
                    "There is no place for the keys of persons [class=%s]: its @Encrypted names a subject."
                            .formatted(payload.getName()),
                    "Add safebunny-jdbc and a DataSource, or a SubjectKeys bean; or remove the subject.");
        }
        try {
            SecretKey unused = subjects.secret();
        } catch (KeysUnavailableException e) {
            for (Throwable cause : Causes.of(e)) {
                if (cause instanceof ConfigurationException wrong) {
                    throw wrong;
                }
            }
            LOG.warn(
                    "The keys of persons cannot be had at the start; messages that need them wait",
                    ExceptionDetails.TYPE_ONLY.logged(e));
        } catch (UnknownKeyException e) {
            throw new ConfigurationException(
                    "SB-1319",
                    "The keys of persons cannot be used [class=%s]: %s"
                            .formatted(payload.getName(), e.messageWithoutCode()),
                    "Give this node the key that safebunny.encryption.subjects.key names, in all versions under which keys of persons were encrypted.",
                    e);
        }
    }

    /**
     * The key of a person, perhaps a new one.
     *
     * @throws KeysUnavailableException it cannot be had now
     * @throws UnknownKeyException nobody here has the key under which it is encrypted
     */
    SealedBody.Subject current(String subject) {
        String hash = hash(subject);
        SealedBody.Subject known = current.get(hash);
        if (known != null) {
            return known;
        }
        long asked = timeline.nanoTime();
        SubjectKey stored = asked(() -> place.find(hash));
        if (stored == null) {
            requireErasedLongAgo(hash);
            SubjectKey fresh = sealing.fresh(hash);
            stored = Objects.requireNonNull(asked(() -> place.addIfAbsent(fresh)));
        }
        return current.put(hash, new SealedBody.Subject(stored.id(), sealing.open(stored)), asked);
    }

    /** Whoever has just read what was erased, with a key that is still remembered, must not encrypt it anew. */
    private void requireErasedLongAgo(String hash) {
        SubjectKey last = asked(() -> place.findErased(hash));
        if (last != null
                && last.erasedAt() != null
                && last.erasedAt().plus(UNTIL_IT_HOLDS).isAfter(timeline.now())) {
            throw new KeysUnavailableException(
                    "A person was erased a moment ago [subject=%s, at=%s]: there can be a new key for them after a minute"
                            .formatted(hash, last.erasedAt()),
                    null);
        }
    }

    /**
     * The key of this id.
     *
     * @throws SubjectErasedException it was destroyed
     * @throws KeysUnavailableException it cannot be had now
     * @throws UnknownKeyException there never was one here, or nobody here has the key under which it is encrypted
     */
    SecretKey open(String id) {
        Known known = byId.get(id);
        if (known == null) {
            long asked = timeline.nanoTime();
            SubjectKey stored = asked(() -> place.findById(id));
            if (stored == null) {
                throw new UnknownKeyException(
                        "Unknown key of a person [key=%s]: it is not in the SubjectKeys of this node. Do all nodes share one?"
                                .formatted(id));
            }
            known = byId.put(id, new Known(stored.isErased() ? null : sealing.open(stored), stored.erasedAt()), asked);
        }
        if (known.erasedAt != null) {
            throw new SubjectErasedException(known.erasedAt);
        }
        return Objects.requireNonNull(known.key);
    }

    @Override
    public Erasure find(String subject) {
        String hash = hash(requireValid(subject));
        boolean hasKey = asked(() -> place.find(hash)) != null;
        SubjectKey last = asked(() -> place.findErased(hash));
        return told(hash, hasKey, last == null ? null : last.erasedAt());
    }

    @Override
    public Erasure erase(String subject) {
        String hash = hash(requireValid(subject));
        Instant at = timeline.now().truncatedTo(ChronoUnit.MILLIS);
        boolean erased = Boolean.TRUE.equals(asked(() -> place.erase(hash, at)));
        current.clear();
        byId.clear();
        if (erased) {
            LOG.info("The key of a person is destroyed [subject={}, at={}]", hash, at);
        }
        SubjectKey last = erased ? null : asked(() -> place.findErased(hash));
        return told(hash, erased, last == null ? (erased ? at : null) : last.erasedAt());
    }

    private Erasure told(String hash, boolean hadKey, @Nullable Instant erasedAt) {
        if (erasedAt == null) {
            return new Erasure(hash, hadKey, null, null);
        }
        Instant promised = erasedAt.plus(UNTIL_IT_HOLDS);
        Instant forgotten = timeline.now().plus(Remembered.LONGEST); // if destroying it took long
        return new Erasure(hash, hadKey, erasedAt, hadKey && forgotten.isAfter(promised) ? forgotten : promised);
    }

    private static String requireValid(String subject) {
        String fault = SubjectProperty.fault(subject);
        if (fault != null) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid subject: it %s. Name the person as the property does that @Encrypted(subject) names, with 1 to %s characters."
                            .formatted(fault, Encrypted.LONGEST_SUBJECT));
        }
        return subject;
    }

    private String hash(String subject) {
        return SubjectSealing.hash(secret(), subject);
    }

    private SecretKey secret() {
        SecretKey known = secret;
        if (known == null) {
            SubjectKey stored = asked(() -> place.find(SubjectSealing.SECRET));
            if (stored == null) {
                SubjectKey fresh = sealing.freshSecret();
                stored = Objects.requireNonNull(asked(() -> place.addIfAbsent(fresh)));
            }
            known = sealing.open(stored);
            secret = known;
        }
        return known;
    }

    /** How many keys of persons there are under each key of the provider, by its id; {@code null} if their place cannot tell. */
    @Nullable
    Map<String, Long> countByWrappingKey() {
        return asked(place::countByWrappingKey);
    }

    /** The keys under which keys of persons are encrypted now. */
    Set<String> encryptingWith() {
        return sealing.encryptingWith();
    }

    /** While the place is away it is asked once a second, and not for each message. */
    private <T> @Nullable T asked(Supplier<@Nullable T> question) {
        Outage known = outage;
        if (known != null && timeline.nanoTime() - known.at() < Renewed.ASKED_AGAIN_AFTER.toNanos()) {
            throw known.again();
        }
        try {
            T answer = question.get();
            outage = null;
            return answer;
        } catch (RuntimeException e) { // a table that is missing, too: it is the messages' fault in no case
            KeysUnavailableException away = e instanceof KeysUnavailableException told
                    ? told
                    : new KeysUnavailableException(
                            "The SubjectKeys failed [failure=%s]: %s"
                                    .formatted(e.getClass().getName(), Printable.of(e)),
                            e);
            outage = new Outage(away, timeline.nanoTime());
            throw away;
        }
    }
}
