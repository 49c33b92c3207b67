// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.EncryptedTypes;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Envelope;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import io.safebunny.time.Timeline;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts bodies with AES-256-GCM, each bound to the identity of its message, so that it cannot be read as another one's. The format is in
 * {@code docs/encryption.md}. Thread-safe.
 */
public final class EncryptingCodec implements BodyCodec {

    /** The {@code content_encoding}. */
    public static final String ENCODING = "sb-aes";

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int TAG_LENGTH = 16;

    private final DataKeys keys;
    private final SecretHashes hashes;
    private final Set<String> acceptClear;
    /** {@code null} if there are no keys of persons. */
    private final @Nullable Subjects subjects;
    /** With which it encrypts; {@code null} if it only decrypts. */
    private final @Nullable String keyName;
    /** The property of payloads that says whom they are about; {@code null} if nothing says so. */
    private final @Nullable SubjectProperty property;
    /** Whom the one body is about that it encrypts; {@code null} if that is not known, or nobody. */
    private final @Nullable String subject;
    /** Their key, once it was needed: a second body must not fail for want of it. */
    private volatile SealedBody.@Nullable Subject person;

    /**
     * Decrypts; {@link #of} gives those that encrypt. Without keys of persons.
     *
     * @param acceptClear types whose messages may arrive in clear
     */
    public EncryptingCodec(KeyProvider provider, Timeline timeline, Set<String> acceptClear) {
        this(provider, timeline, acceptClear, null);
    }

    /**
     * Decrypts; {@link #of} gives those that encrypt.
     *
     * @param acceptClear types whose messages may arrive in clear
     * @param subjects the keys of persons; {@code null} if there are none
     */
    public EncryptingCodec(
            KeyProvider provider, Timeline timeline, Set<String> acceptClear, @Nullable Subjects subjects) {
        this.keys = new DataKeys(provider, timeline);
        this.hashes = new SecretHashes(provider, timeline);
        this.acceptClear = Set.copyOf(acceptClear);
        this.subjects = subjects;
        this.keyName = null;
        this.property = null;
        this.subject = null;
    }

    private EncryptingCodec(
            EncryptingCodec like,
            @Nullable String keyName,
            @Nullable SubjectProperty property,
            @Nullable String subject) {
        this.keys = like.keys;
        this.hashes = like.hashes;
        this.acceptClear = like.acceptClear;
        this.subjects = like.subjects;
        this.keyName = keyName;
        this.property = property;
        this.subject = subject;
    }

    @Override
    public String encoding() {
        return ENCODING;
    }

    @Override
    public boolean hidesContent() {
        return true;
    }

    /**
     * Encrypts the messages of classes with {@link Encrypted}.
     *
     * @throws ConfigurationException SB-1318 if the class has no such property as its subject, SB-1319 if there are no keys of persons
     */
    @Override
    public @Nullable BodyCodec of(Class<?> payload) {
        Encrypted encrypted = EncryptedTypes.of(payload);
        if (encrypted == null) {
            return null;
        }
        SubjectProperty named = SubjectProperty.of(payload, encrypted.subject());
        if (named != null) {
            Subjects.require(subjects, payload);
        }
        return new EncryptingCodec(this, encrypted.key(), named, null);
    }

    @Override
    public BodyCodec ofPayload(Supplier<?> payload) {
        return property == null ? this : new EncryptingCodec(this, keyName, property, property.of(payload.get()));
    }

    /** Under the secret of the class's key, so that nobody who reads the store can try out what a body might say. */
    @Override
    public byte[] secretHash(Envelope decoded) {
        return keyName == null ? SecretHashes.none() : hashes.of(keyName, decoded);
    }

    @Override
    public boolean takesPlain(Envelope message) {
        return acceptClear.contains(message.type());
    }

    /**
     * @throws UnknownKeyException the provider has no key of this name
     * @throws KeysUnavailableException the provider does not answer, and the latest data key is too old
     */
    @Override
    public byte[] encode(Envelope message) {
        if (keyName == null) {
            throw new CodecException(
                    "Cannot encrypt the body [type=%s]: its class has no key. Mark the class with @Encrypted, and remove sb-aes from safebunny.publisher.encoding"
                            .formatted(message.type()),
                    null);
        }
        SealedBody.Subject person = person(message);
        DataKey key = keys.current(keyName);
        byte[] salt = new byte[SealedBody.SALT_LENGTH];
        RANDOM.nextBytes(salt);
        try {
            byte[] identity = Identity.of(message, person == null ? null : person.keyId());
            return SealedBody.seal(key, person, salt, identity, message.body()).toBytes();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new CodecException(
                    "Cannot encrypt the body [type=%s, key=%s]: %s".formatted(message.type(), keyName, e.getMessage()),
                    e);
        }
    }

    /** Whose key is needed, too; {@code null} for nobody's. */
    private SealedBody.@Nullable Subject person(Envelope message) {
        if (property == null) {
            return null;
        }
        if (subject == null) { // without it, the body could not be erased
            throw new CodecException(
                    "Cannot encrypt the body [type=%s]: nothing says whom it is about".formatted(message.type()), null);
        }
        SealedBody.Subject known = person;
        if (known == null) {
            known = Objects.requireNonNull(subjects, "required of the class").current(subject);
            person = known;
        }
        return known;
    }

    /**
     * @throws UnknownKeyException the provider does not know the key, or nobody knows that of its person
     * @throws KeysUnavailableException the provider does not answer, or the place of keys of persons
     * @throws SubjectErasedException the key of its person was destroyed
     */
    @Override
    public byte[] decode(Envelope message, long maxSize) {
        SealedBody body = SealedBody.read(message.body());
        if (body == null) {
            throw CodecException.undecryptable(
                    "Cannot decrypt the body [content_encoding=sb-aes]: it is not in this format, or truncated. Check who sends it");
        }
        if (body.sealed().length - TAG_LENGTH > maxSize) {
            throw CodecException.tooLarge(ENCODING, maxSize);
        }
        SecretKey person = body.subjectKey() == null ? null : personsKey(body.subjectKey());
        String keyId = body.wrapped().keyId();
        SecretKey key;
        try {
            key = keys.open(body.wrapped());
        } catch (IllegalArgumentException e) {
            throw CodecException.undecryptable(
                    "Cannot decrypt the body [key=%s]: its data key was not wrapped by this key, or has been changed. Check whether its sender has the same key under this id"
                            .formatted(keyId));
        }
        try {
            return body.open(key, person, Identity.of(message, body.subjectKey()));
        } catch (GeneralSecurityException e) {
            throw CodecException.undecryptable(
                    "Cannot decrypt the body [key=%s]: it was changed, or encrypted for a message with other ids, another type, sender or content type. If nobody edited the message, somebody has tampered with it"
                            .formatted(keyId));
        }
    }

    @Override
    public @Nullable String keyIdOf(byte[] beginning) {
        return SealedBody.keyIdOf(beginning);
    }

    @Override
    public Set<String> encodesWith() {
        Set<String> all = new TreeSet<>(keys.encryptingWith());
        if (subjects != null) {
            all.addAll(subjects.encryptingWith());
        }
        return all;
    }

    @Override
    public boolean knowsKey(String keyId) {
        return keys.knows(keyId);
    }

    @Override
    public @Nullable Map<String, Long> keepsUnder() {
        return subjects == null ? Map.of() : subjects.countByWrappingKey();
    }

    private SecretKey personsKey(String id) {
        if (subjects == null) {
            throw new UnknownKeyException(
                    "Unknown key of a person [key=%s]: this node has no SubjectKeys. Add safebunny-jdbc and the database that has them, or a bean."
                            .formatted(id));
        }
        return subjects.open(id);
    }
}
