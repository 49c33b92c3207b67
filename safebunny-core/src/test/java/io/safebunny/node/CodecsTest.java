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

    private record Named(String encoding) implements BodyCodec {
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

        assertThat(codecs.of("gzip")).isSameAs(gzip);
        assertThat(codecs.of("Gzip")).isSameAs(gzip);
        assertThat(codecs.of("x-two")).isNull();
        assertThat(codecs.of(null)).isNull();
        assertThat(codecs.publishing()).isSameAs(gzip);
        assertThat(Codecs.none().publishing()).isNull();
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
    void refusesToPublishWithAnUnknownOne() {
        refused(List.of(new GzipCodec()), "zstd", "safebunny.publisher.encoding=zstd, codecs=[gzip]");
    }
}
