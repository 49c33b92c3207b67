// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Envelope;
import io.safebunny.message.Names;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import io.safebunny.serialization.GzipCodec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The codecs by their encodings, each of which has exactly one; always one for gzip. Decodes what arrives. Immutable. */
final class CodecsByEncoding {

    static final String GZIP = "gzip";

    private static final Pattern ENCODING = Pattern.compile("[a-z0-9][a-z0-9._+-]{0,63}");
    private static final Set<String> PLAIN = Set.of("identity", "utf-8");

    private final Map<String, BodyCodec> byEncoding = new HashMap<>();

    /**
     * @param all the application's; one for gzip replaces SafeBunny's
     * @throws ConfigurationException SB-1311 when an encoding is invalid or has two codecs
     */
    CodecsByEncoding(List<BodyCodec> all) {
        all.forEach(this::add);
        byEncoding.computeIfAbsent(GZIP, encoding -> new GzipCodec());
    }

    private void add(BodyCodec codec) {
        String encoding = codec.encoding();
        if (!ENCODING.matcher(encoding).matches() || PLAIN.contains(encoding)) {
            throw new ConfigurationException(
                    "SB-1311",
                    "Invalid content_encoding of a BodyCodec [encoding=%s, codec=%s]."
                            .formatted(
                                    Names.printable(encoding), codec.getClass().getName()),
                    "Use lower-case letters, digits and . _ + - (at most 64), and neither identity nor utf-8.");
        }
        BodyCodec other = byEncoding.putIfAbsent(encoding, codec);
        if (other != null) {
            throw new ConfigurationException(
                    "SB-1311",
                    "Two BodyCodecs for one content_encoding [encoding=%s]: %s and %s."
                            .formatted(
                                    encoding,
                                    other.getClass().getName(),
                                    codec.getClass().getName()),
                    "Remove one of the beans, or use another encoding for one of them.");
        }
    }

    /** All encodings, in the order of the alphabet. */
    Set<String> names() {
        return new TreeSet<>(byEncoding.keySet());
    }

    /** @param encoding in lower case */
    boolean isKnown(String encoding) {
        return byEncoding.containsKey(encoding);
    }

    /** @param encoding one that is known */
    BodyCodec of(String encoding) {
        return Objects.requireNonNull(byEncoding.get(encoding), "known");
    }

    /** Like {@link Codecs#decoded}. */
    Envelope decoded(Envelope message, long maxSize) {
        Envelope decoded = message;
        for (int i = message.encodings().size() - 1; i >= 0; i--) {
            String encoding = message.encodings().get(i);
            byte[] body = of(encoding).decode(decoded, maxSize);
            if (body.length > maxSize) {
                throw CodecException.tooLarge(encoding, maxSize);
            }
            decoded = decoded.withBody(body);
        }
        return decoded;
    }
}
