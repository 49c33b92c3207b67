// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.incident.Incident.BodyLook;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.serialization.GzipCodec;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nothing that the masker hides gets out, and what is shown is known to have been. */
class MaskingTest {

    private static PoisonedMessage message(Map<String, Object> headers) {
        return new PoisonedMessage(
                "digest",
                "7",
                "order-7",
                "PlaceOrder",
                "handler-failed",
                "shop-PlaceOrder",
                null,
                "",
                "",
                0,
                "",
                headers,
                Verdict.UNKNOWN,
                "");
    }

    private static Masking masking(BodyMasker masker) {
        return new Masking(
                masker,
                new Codecs(List.of(new GzipCodec()), null),
                new Serializers(List.of(new JsonMessageSerializer())));
    }

    private static String body(Masking masking, String body, @Nullable String known) {
        return masking.body(message(Map.of()), body.getBytes(StandardCharsets.UTF_8), known);
    }

    /** Such as those of a map by customer. */
    @Test
    void namesThatTheMaskerLeavesOutAreNotTold() {
        Masking masking = masking((message, body) -> "{\"order\":{\"cents\":0,\"lines\":[{\"n\":1}]}}");

        String shown = body(
                masking,
                "{\"secret-a\":1,\"order\":{\"cents\":1999,\"secret-b\":{\"secret-c\":1},\"lines\":[{\"n\":1,\"secret-d\":2}]}}",
                null);

        assertThat(shown).doesNotContain("secret");
        assertThat(masking.told())
                .containsExactly(
                        "Masked in the body of PlaceOrder: fields that are left out, order.cents, order, order.lines.");
    }

    @Test
    void aValueThatIsNoSecretIsShown() {
        Masking masking = masking(BodyMasker.fields("id", "iban"));

        String shown = body(masking, "{\"id\":\"7\",\"of\":[{\"id\":7},{\"id\":8}],\"iban\":\"DE-7\"}", "7");

        assertThat(shown).isEqualTo("{\"id\":\"7\",\"of\":[{\"id\":7},{\"id\":0}],\"iban\":\"***\"}");
        assertThat(masking.told()).containsExactly("Masked in the body of PlaceOrder: of.id, iban.");
    }

    @Test
    void headersAloneAreALookAndBothAreOne() {
        PoisonedMessage message = message(Map.of("iban", "DE-7"));
        Masking hidden = masking((any, body) -> "not shown: bodies are private");
        assertThat(hidden.body(message, "{}".getBytes(StandardCharsets.UTF_8), null))
                .startsWith("not shown");
        assertThat(hidden.looks()).isEmpty();

        assertThat(hidden.headers(message)).isEqualTo("{iban=***}");
        assertThat(hidden.looks()).containsExactly(new BodyLook("7", "digest", false));

        Masking both = masking(BodyMasker.none());
        assertThat(both.body(message, "{}".getBytes(StandardCharsets.UTF_8), null))
                .isEqualTo("{}");
        assertThat(both.headers(message)).isEqualTo("{iban=DE-7}");
        assertThat(both.looks()).hasSize(1);
    }

    @Test
    void saysWhyABodyIsNotDecoded() throws IOException {
        ByteArrayOutputStream large = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(large)) {
            gzip.write(new byte[5 << 20]);
        }
        Masking masking = masking(BodyMasker.none());

        assertThat(masking.decoded(gzipped(large.toByteArray()))).isNull();
        assertThat(masking.decoded(gzipped(new byte[] {1, 2, 3}))).isNull();

        assertThat(masking.told())
                .containsExactly(
                        "The body of PlaceOrder has more than 4 MiB when decoded, and is {} here.",
                        "The body of PlaceOrder cannot be decoded, and is {} here.");
    }

    private static WireMessage gzipped(byte[] body) {
        return new WireMessage("7", "order-7", "PlaceOrder", "shop", null, "application/json", "gzip", Map.of(), body);
    }
}
