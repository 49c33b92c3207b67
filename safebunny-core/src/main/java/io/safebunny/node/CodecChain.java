// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Encodings;
import io.safebunny.message.Names;
import io.safebunny.publishing.BodyEncoding;
import io.safebunny.serialization.BodyCodec;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the bodies of publications are encoded: compressed if they are large, then by each of these codecs. Immutable.
 *
 * @param codecs in the order in which they are applied
 * @param compressor of large bodies; {@code null} if they are not compressed first
 * @param above size in bytes of the largest body that is not large
 */
record CodecChain(List<BodyCodec> codecs, @Nullable BodyCodec compressor, long above) {

    CodecChain {
        codecs = List.copyOf(codecs);
    }

    /**
     * The chain of a node's publications whose class needs no codec.
     *
     * @param publishing names, separated by commas; {@code null} for none
     * @throws ConfigurationException SB-1311 when one is unknown, there twice, or one too many; or when bodies are compressed before their
     *     content is hidden, and that is not allowed
     */
    static CodecChain of(CodecsByEncoding all, @Nullable String publishing, Compression compression) {
        List<BodyCodec> codecs = publishing == null ? List.of() : named(all, publishing);
        CodecChain chain =
                new CodecChain(codecs, compression.isOn() ? all.of(CodecsByEncoding.GZIP) : null, compression.above());
        if (compression.isOn() && (chain.isTooLong() || codecs.stream().anyMatch(CodecChain::isGzip))) {
            throw new ConfigurationException(
                    "SB-1311",
                    "Bodies cannot be compressed before they are encoded [safebunny.publisher.encoding=%s]: with gzip by safebunny.bodies.compress-above, it would be there twice, or there would be more than %s codecs."
                            .formatted(Names.printable(String.valueOf(publishing)), Encodings.MOST),
                    "Remove safebunny.bodies.compress-above, or a codec from safebunny.publisher.encoding.");
        }
        if (!compression.ofHidden()) {
            chain.requireNotCompressedBeforeHidden();
        }
        return chain;
    }

    private static List<BodyCodec> named(CodecsByEncoding all, String publishing) {
        List<String> names = Encodings.of(publishing);
        String fault = names.isEmpty() ? "it means none" : Encodings.fault(names, all::isKnown);
        if (fault != null) {
            throw new ConfigurationException(
                    "SB-1311",
                    "This node's publications cannot be encoded [safebunny.publisher.encoding=%s, codecs=%s]: %s."
                            .formatted(Names.printable(publishing), all.names(), fault),
                    "Name gzip or codecs for which there are beans, each once and at most %s; or remove the property."
                            .formatted(Encodings.MOST));
        }
        return names.stream().map(all::of).toList();
    }

    private void requireNotCompressedBeforeHidden() {
        boolean compressed = compressor != null;
        for (BodyCodec codec : codecs) {
            if (compressed && codec.hidesContent()) {
                throw new ConfigurationException(
                        "SB-1311",
                        "Bodies are compressed before their content is hidden [encoding=%s, codec=%s]: how small they become tells what they say, above all where somebody else chooses a part of them."
                                .formatted(codec.encoding(), codec.getClass().getName()),
                        "Remove safebunny.bodies.compress-above, or gzip from safebunny.publisher.encoding; or set safebunny.bodies.compress-encrypted=true if their length may be known.");
            }
            compressed |= isGzip(codec);
        }
    }

    /** With this codec at its end, and not before. */
    CodecChain endingWith(BodyCodec last) {
        Stream<BodyCodec> others =
                codecs.stream().filter(codec -> !codec.encoding().equals(last.encoding()));
        return new CodecChain(Stream.concat(others, Stream.of(last)).toList(), compressor, above);
    }

    /** Without gzip, first or among the codecs. */
    CodecChain uncompressed() {
        return new CodecChain(codecs.stream().filter(codec -> !isGzip(codec)).toList(), null, Long.MAX_VALUE);
    }

    boolean isTooLong() {
        return codecs.size() + (compressor == null ? 0 : 1) > Encodings.MOST;
    }

    BodyEncoding encoding() {
        return new BodyEncoding(codecs, compressor, above);
    }

    private static boolean isGzip(BodyCodec codec) {
        return codec.encoding().equals(CodecsByEncoding.GZIP);
    }
}
