// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Envelope;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.GzipCodec;
import java.util.List;
import org.junit.jupiter.api.Test;

class CodecsTest {

    private record Named(String encoding, boolean hidesContent) implements BodyCodec {
        Named(String encoding) {
            this(encoding, false);
        }

        @Override
        public byte[] encode(Envelope message) {
            return message.body();
        }

        @Override
        public byte[] decode(Envelope message, long maxSize) {
            return message.body();
        }
    }

    private static void refused(List<BodyCodec> codecs, String publishing, String told) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new Codecs(codecs, publishing))
                .withMessageContaining("SB-1311")
                .withMessageContaining(told);
    }

    @Test
    void findsACodecByItsEncoding() {
        BodyCodec gzip = new GzipCodec();
        Codecs codecs = new Codecs(List.of(gzip, new Named("x-one")), "GZIP");

        assertThat(codecs.isKnown("gzip")).isTrue();
        assertThat(codecs.isKnown("x-two")).isFalse();
        assertThat(codecs.publishing().codecs()).containsExactly(gzip);
        assertThat(Codecs.none().publishing().codecs()).isEmpty();
    }

    @Test
    void publishesWithSeveralInTheirOrder() {
        BodyCodec gzip = new GzipCodec();
        BodyCodec one = new Named("x-one");

        assertThat(new Codecs(List.of(gzip, one), "x-one,GZIP").publishing().codecs())
                .containsExactly(one, gzip);
    }

    @Test
    void refusesNamesThatCannotBeWrittenOrMeanNone() {
        for (String name : List.of("", "GZIP", "a b", "identity", "utf-8", "x".repeat(65), "-a", "ü")) {
            refused(List.of(new Named(name)), "gzip", "Invalid content_encoding");
        }
    }

    @Test
    void refusesTwoOfOneEncoding() {
        refused(List.of(new Named("gzip"), new GzipCodec()), "gzip", "Two BodyCodecs");
    }

    @Test
    void refusesToPublishWithWhatNoNodeWouldRead() {
        List<BodyCodec> all = List.of(new GzipCodec(), new Named("x-one"), new Named("x-two"), new Named("x-three"));

        refused(List.of(), "zstd", "safebunny.publisher.encoding=zstd, codecs=[gzip]");
        refused(all, "gzip, zstd", "this node has no BodyCodec for zstd");
        refused(all, "gzip, x-one, GZIP", "it names gzip more than once");
        refused(all, "gzip, x-one, x-two, x-three", "it names 4 codecs, and a body has at most 3");
        refused(all, "gzip,", "this node has no BodyCodec for an empty name");
        refused(all, "identity", "it means none");
    }

    @Test
    void readsGzipWithoutABean() {
        assertThat(Codecs.none().isKnown("gzip")).isTrue();
        assertThat(new Codecs(List.of(), "gzip").publishing().codecs()).hasOnlyElementsOfType(GzipCodec.class);
        BodyCodec own = new Named("gzip");
        assertThat(new Codecs(List.of(own), "gzip").publishing().codecs()).containsExactly(own);
    }

    @Test
    void refusesToCompressTwiceOrWithOneCodecTooMany() {
        List<BodyCodec> all = List.of(new Named("x-one"), new Named("x-two"), new Named("x-three"));
        Compression large = new Compression(1_000, false);

        refused(all, "x-one, gzip", large, "Bodies cannot be compressed before they are encoded");
        refused(all, "x-one, x-two, x-three", large, "[safebunny.publisher.encoding=x-one, x-two, x-three]");
        assertThat(new Codecs(all, "x-one, x-two", large).publishing().codecs()).hasSize(2);
        assertThat(new Codecs(all, null, large).publishing().codecs()).isEmpty();
    }

    @Test
    void refusesToCompressWhatIsHiddenThenUnlessThatIsAllowed() {
        List<BodyCodec> all = List.of(new Named("x-plain"), new Named("x-hidden", true));
        Compression large = new Compression(1_000, false);

        refused(all, "x-plain, x-hidden", large, "[encoding=x-hidden, codec=" + Named.class.getName() + "]");
        refused(all, "gzip, x-hidden", Compression.NONE, "safebunny.bodies.compress-encrypted=true");
        assertThat(new Codecs(all, "x-hidden, gzip").publishing().codecs()).hasSize(2);
        assertThat(new Codecs(all, "x-hidden", new Compression(1_000, true))
                        .publishing()
                        .codecs())
                .hasSize(1);
        assertThat(new Codecs(all, "gzip, x-hidden", new Compression(Long.MAX_VALUE, true))
                        .publishing()
                        .codecs())
                .hasSize(2);
    }

    private static void refused(List<BodyCodec> codecs, String publishing, Compression compression, String told) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new Codecs(codecs, publishing, compression))
                .withMessageContaining("SB-1311")
                .withMessageContaining(told);
    }
}
