// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.bodies.ClaimCheck;
import io.safebunny.bodies.MissingBodyException;
import io.safebunny.encryption.EncryptedTypes;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Encodings;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.publishing.BodyEncoding;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The body codecs of a node: which ones the messages of a class go through, which it can decode, and where large bodies are. Immutable. */
public final class Codecs {

    private static final Codecs NONE = new Codecs(List.of(), null);

    private static final String WITHOUT_CLAIM_CHECK =
            "The body of the message is kept in a store [sb-claim=%s], and this node has no claim check. Add safebunny-claimcheck and the same store as the sender's (docs/large-messages.md), then replay the message.";

    private final List<BodyCodec> all;
    private final CodecsByEncoding byEncoding;
    private final Compression compression;
    private final CodecChain chain;
    private final BodyEncoding publishing;
    private final @Nullable ClaimCheck claimCheck;
    private final Map<Class<?>, BodyEncoding> byClass = new ConcurrentHashMap<>();

    /** Without compression. */
    public Codecs(List<BodyCodec> all, @Nullable String publishing) {
        this(all, publishing, Compression.NONE);
    }

    /** Without a claim check. */
    public Codecs(List<BodyCodec> all, @Nullable String publishing, Compression compression) {
        this(all, publishing, compression, null);
    }

    /**
     * @param all the application's; one for gzip replaces SafeBunny's
     * @param publishing encodings of this node's publications, separated by commas, in the order in which they are applied; {@code null}
     *     for none
     * @param compression which bodies are compressed before that
     * @param claimCheck keeps large bodies elsewhere, once they are encoded; {@code null} if all are sent
     * @throws ConfigurationException SB-1311 when an encoding is invalid or has two codecs, or one for publishing is unknown, there twice,
     *     or one too many; or when bodies are compressed before their content is hidden, and that is not allowed
     */
    public Codecs(
            List<BodyCodec> all,
            @Nullable String publishing,
            Compression compression,
            @Nullable ClaimCheck claimCheck) {
        this.all = List.copyOf(all);
        this.byEncoding = new CodecsByEncoding(all);
        this.compression = compression;
        this.chain = CodecChain.of(byEncoding, publishing, compression);
        this.publishing = chain.encoding();
        this.claimCheck = claimCheck;
    }

    /** No codecs but gzip, with which nothing is published. */
    public static Codecs none() {
        return NONE;
    }

    /** How this node's publications are encoded whose class needs no codec. */
    public BodyEncoding publishing() {
        return publishing;
    }

    /**
     * How this node's publications of a class are encoded.
     *
     * @throws InvalidPublicationException if the class needs a codec that this node does not have or that cannot encode it, or one codec too many
     */
    public BodyEncoding publishing(Class<?> payload) {
        BodyEncoding known = byClass.get(payload);
        if (known == null) { // not computed in the map: it may ask a database
            known = encodingOf(payload);
            byClass.put(payload, known);
        }
        return known;
    }

    private BodyEncoding encodingOf(Class<?> payload) {
        BodyCodec needed = neededToPublish(payload);
        if (needed == null) {
            String missing = missing(payload);
            if (missing != null) {
                throw new InvalidPublicationException(missing);
            }
            return publishing;
        }
        boolean mayBeCompressed = !needed.hidesContent() || compression.ofHidden();
        CodecChain ofClass = (mayBeCompressed ? chain : chain.uncompressed()).endingWith(needed);
        if (ofClass.isTooLong()) {
            throw new InvalidPublicationException(
                    "Too many codecs for a body [class=%s, encoding=%s]: with those of safebunny.publisher.encoding and safebunny.bodies.compress-above there would be more than %s. Remove one there."
                            .formatted(payload.getName(), needed.encoding(), Encodings.MOST));
        }
        return ofClass.encoding();
    }

    private @Nullable BodyCodec neededToPublish(Class<?> payload) {
        try {
            return needed(payload);
        } catch (ConfigurationException e) { // of a class that is only published, which nobody knew at the start
            throw new InvalidPublicationException(e.messageWithoutCode(), e);
        }
    }

    /** The codec that messages of this class need; {@code null} if they need none. */
    public @Nullable BodyCodec needed(Class<?> payload) {
        for (BodyCodec codec : all) {
            BodyCodec needed = codec.of(payload);
            if (needed != null) {
                return needed;
            }
        }
        return null;
    }

    /** Whether messages of this class need a codec that hides their content. */
    public boolean hidesContent(Class<?> payload) {
        BodyCodec needed = needed(payload);
        return needed != null && needed.hidesContent();
    }

    /** @throws ConfigurationException SB-1314 if the class needs a codec that this node does not have */
    public void requireFor(Class<?> payload) {
        String missing = missing(payload);
        if (missing != null && needed(payload) == null) {
            throw new ConfigurationException(
                    "SB-1314",
                    missing,
                    "Add safebunny-crypto and a key (safebunny.encryption.keystore.location; safebunny-vault and a VaultOperations bean; or a KeyProvider bean), or remove the annotation.");
        }
    }

    private static @Nullable String missing(Class<?> payload) {
        return EncryptedTypes.of(payload) != null
                ? "Nothing can encrypt messages of a class with @Encrypted [class=%s]: there is no safebunny-crypto, or it has no keys."
                        .formatted(payload.getName())
                : null;
    }

    /** The key that an encoded body needs, told by its first 256 bytes; {@code null} if it needs none, or no codec can tell. */
    public @Nullable String keyIdOf(byte[] beginning) {
        for (BodyCodec codec : all) {
            String keyId = codec.keyIdOf(beginning);
            if (keyId != null) {
                return keyId;
            }
        }
        return null;
    }

    /** The keys with which this instance encodes bodies now. */
    public Set<String> encodesWith() {
        return all.stream()
                .flatMap(codec -> codec.encodesWith().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Whether a codec has a key of this id.
     *
     * @throws KeysUnavailableException if a key service does not answer
     */
    public boolean knowsKey(String keyId) {
        return all.stream().anyMatch(codec -> codec.knowsKey(keyId));
    }

    /**
     * The keys of what codecs keep themselves, with how much is kept under each; {@code null} if one of them cannot tell.
     *
     * @throws KeysUnavailableException if the place where it is does not answer
     */
    public @Nullable Map<String, Long> keepsUnder() {
        Map<String, Long> counts = new TreeMap<>();
        for (BodyCodec codec : all) {
            Map<String, Long> kept = codec.keepsUnder();
            if (kept == null) {
                return null;
            }
            kept.forEach((keyId, count) -> counts.merge(keyId, count, Long::sum));
        }
        return counts;
    }

    /** Whether one of these encodings hides the content of a body. */
    public boolean isHidden(List<String> encodings) {
        return encodings.stream()
                .anyMatch(
                        encoding -> isKnown(encoding) && byEncoding.of(encoding).hidesContent());
    }

    /** @param encoding in lower case */
    public boolean isKnown(String encoding) {
        return byEncoding.isKnown(encoding);
    }

    /**
     * The message as it is sent: with a reference instead of its body, if that is large and this node has a claim check.
     *
     * @param encoded the message with its body encoded
     * @throws BodyStoreUnavailableException if the body cannot be put where it belongs
     */
    public Envelope put(Envelope encoded) {
        return claimCheck == null ? encoded : claimCheck.put(encoded);
    }

    /**
     * Fetches a body if it is kept elsewhere, and decodes it, beginning with what was encoded last. Each result is limited, because each is the input of a parser.
     *
     * @param message a message whose encodings are {@linkplain #isKnown known}
     * @param maxSize limit of each result in bytes
     * @throws CodecException if it cannot be decoded, or is too large
     * @throws InvalidMessageException if it should be elsewhere, and cannot be what is meant
     * @throws MissingBodyException if it should be elsewhere, and is not there
     * @throws BodyStoreUnavailableException if it is where nobody answers
     */
    public Envelope decoded(Envelope message, long maxSize) {
        return byEncoding.decoded(BodyReference.isIn(message.carried()) ? fetched(message, maxSize) : message, maxSize);
    }

    private Envelope fetched(Envelope message, long maxSize) {
        if (claimCheck == null) {
            throw new MissingBodyException(WITHOUT_CLAIM_CHECK.formatted(
                    Names.printable(String.valueOf(message.carried().get(Headers.CLAIM)))));
        }
        return claimCheck.fetch(message, maxSize);
    }
}
