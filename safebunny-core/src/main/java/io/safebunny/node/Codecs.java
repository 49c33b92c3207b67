// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Names;
import io.safebunny.serialization.BodyCodec;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The body codecs of a node, by encoding, ignoring case. Immutable. */
public final class Codecs {

    private static final Pattern ENCODING = Pattern.compile("[a-z0-9][a-z0-9._+-]{0,63}");
    private static final Set<String> PLAIN = Set.of("identity", "utf-8");
    private static final Codecs NONE = new Codecs(List.of(), null);

    private final Map<String, BodyCodec> byEncoding = new HashMap<>();
    private final @Nullable BodyCodec publishing;

    /**
     * @param publishing encoding of this node's publications, {@code null} for none
     * @throws ConfigurationException SB-1311 when an encoding is invalid or has two codecs, or the one for publishing is unknown
     */
    public Codecs(List<BodyCodec> all, @Nullable String publishing) {
        for (BodyCodec codec : all) {
            String encoding = codec.encoding();
            if (!ENCODING.matcher(encoding).matches() || PLAIN.contains(encoding)) {
                throw new ConfigurationException(
                        "SB-1311",
                        "Invalid content_encoding of a BodyCodec [encoding=%s, codec=%s]."
                                .formatted(
                                        Names.printable(encoding),
                                        codec.getClass().getName()),
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
        this.publishing = publishing == null ? null : byEncoding.get(publishing.toLowerCase(Locale.ROOT));
        if (publishing != null && this.publishing == null) {
            throw new ConfigurationException(
                    "SB-1311",
                    "There is no BodyCodec for this node's publications [safebunny.publisher.encoding=%s, codecs=%s]."
                            .formatted(Names.printable(publishing), new TreeSet<>(byEncoding.keySet())),
                    "Register a BodyCodec bean for that encoding, for example new GzipCodec() for gzip, or remove the property.");
        }
    }

    /** No codecs: bodies are sent and received as serialized. */
    public static Codecs none() {
        return NONE;
    }

    /** {@code null} if bodies are published as serialized. */
    public @Nullable BodyCodec publishing() {
        return publishing;
    }

    /** {@code null} when no codec has this encoding. */
    public @Nullable BodyCodec of(@Nullable String encoding) {
        return encoding == null ? null : byEncoding.get(encoding.toLowerCase(Locale.ROOT));
    }
}
