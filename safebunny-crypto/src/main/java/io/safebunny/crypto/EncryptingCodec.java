// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.EncryptedTypes;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.message.Envelope;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import io.safebunny.time.Timeline;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Set;
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
    /** With which it encrypts; {@code null} if it only decrypts. */
    private final @Nullable String keyName;

    /**
     * Decrypts; {@link #of} gives those that encrypt.
     *
     * @param acceptClear types whose messages may arrive in clear
     */
    public EncryptingCodec(KeyProvider provider, Timeline timeline, Set<String> acceptClear) {
        this(new DataKeys(provider, timeline), new SecretHashes(provider, timeline), Set.copyOf(acceptClear), null);
    }

    private EncryptingCodec(DataKeys keys, SecretHashes hashes, Set<String> acceptClear, @Nullable String keyName) {
        this.keys = keys;
        this.hashes = hashes;
        this.acceptClear = acceptClear;
        this.keyName = keyName;
    }

    @Override
    public String encoding() {
        return ENCODING;
    }

    @Override
    public boolean hidesContent() {
        return true;
    }

    /** Encrypts the messages of classes with {@link Encrypted}. */
    @Override
    public @Nullable BodyCodec of(Class<?> payload) {
        Encrypted encrypted = EncryptedTypes.of(payload);
        return encrypted == null ? null : new EncryptingCodec(keys, hashes, acceptClear, encrypted.key());
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
        DataKey key = keys.current(keyName);
        byte[] salt = new byte[SealedBody.SALT_LENGTH];
        RANDOM.nextBytes(salt);
        try {
            return SealedBody.seal(key, salt, Identity.of(message), message.body())
                    .toBytes();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new CodecException(
                    "Cannot encrypt the body [type=%s, key=%s]: %s".formatted(message.type(), keyName, e.getMessage()),
                    e);
        }
    }

    /**
     * @throws UnknownKeyException the provider does not know the key
     * @throws KeysUnavailableException the provider does not answer
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
            return body.open(key, Identity.of(message));
        } catch (GeneralSecurityException e) {
            throw CodecException.undecryptable(
                    "Cannot decrypt the body [key=%s]: it was changed, or encrypted for a message with other ids, another type, sender or content type. If nobody edited the message, somebody has tampered with it"
                            .formatted(keyId));
        }
    }
}
