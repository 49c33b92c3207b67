// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.message.Envelope;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How a node encodes the bodies of its publications. Thread-safe. */
public final class BodyEncoding {

    /** Bodies are sent as serialized. */
    public static final BodyEncoding NONE = new BodyEncoding(List.of(), null, 0);

    private final List<BodyCodec> codecs;
    private final List<String> names;
    private final @Nullable BodyCodec compressor;
    private final List<String> namesIfCompressed;
    private final long compressAbove;

    /**
     * @param codecs encode each body, in this order
     * @param compressor encodes large bodies before they do, if that makes them smaller; {@code null} for none
     * @param compressAbove size in bytes of the largest body that is not large
     */
    public BodyEncoding(List<BodyCodec> codecs, @Nullable BodyCodec compressor, long compressAbove) {
        this.codecs = List.copyOf(codecs);
        this.names = codecs.stream().map(BodyCodec::encoding).toList();
        this.compressor = compressor;
        this.namesIfCompressed = compressor == null ? names : prepended(compressor.encoding(), names);
        this.compressAbove = compressAbove;
    }

    private static List<String> prepended(String first, List<String> others) {
        List<String> all = new ArrayList<>();
        all.add(first);
        all.addAll(others);
        return List.copyOf(all);
    }

    /** What encodes each body, in this order; without the compressor. */
    public List<BodyCodec> codecs() {
        return codecs;
    }

    /**
     * Encodes the body. To be called last of all, because a codec may bind the body to everything else that identifies the message.
     *
     * @param payload of which it is the body
     * @param check told the body after each codec
     * @throws CodecException if it cannot be encoded
     */
    Envelope encoded(Envelope message, Object payload, Consumer<byte[]> check) {
        BodyCodec large = message.body().length > compressAbove ? compressor : null;
        if (large != null) {
            Envelope named = message.withEncodings(namesIfCompressed);
            byte[] compressed = large.encode(named);
            if (compressed.length < message.body().length) {
                return byCodecs(named.withBody(compressed), payload, check);
            }
        }
        return codecs.isEmpty() ? message : byCodecs(message.withEncodings(names), payload, check);
    }

    private Envelope byCodecs(Envelope message, Object payload, Consumer<byte[]> check) {
        Envelope encoded = message;
        for (BodyCodec codec : codecs) {
            byte[] body = codec.ofPayload(() -> payload).encode(encoded);
            check.accept(body);
            encoded = encoded.withBody(body);
        }
        return encoded;
    }
}
