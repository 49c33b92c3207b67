// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.serialization.MessageSerializer;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Which content types a serializer accepts as its own. */
interface ContentTypeRules {

    /** Maximum length of an AMQP short string. */
    int LONGEST = 255;

    MessageSerializer tested();

    @Test
    default void readsItsOwnContentType() {
        String own = tested().contentType();

        assertThat(own).matches("[!-~]+/[ -~]+");
        assertThat(own.getBytes(US_ASCII)).hasSizeLessThanOrEqualTo(LONGEST);
        assertThat(tested().reads(own)).isTrue();
        assertThat(tested().contentType()).isEqualTo(own);
    }

    @Test
    default void ignoresCaseAndParametersOfAContentType() {
        String own = tested().contentType();
        for (String written : List.of(
                own.toUpperCase(Locale.ROOT),
                own + ";charset=utf-8",
                own + "; charset=UTF-8; version=1",
                own.toUpperCase(Locale.ROOT) + " ; v=\"1\"")) {
            assertThat(tested().reads(written)).as(written).isTrue();
        }
    }

    @Test
    default void readsNoContentTypeThatIsNobodys() {
        for (String written : List.of(
                "",
                " ",
                ";",
                "/",
                "application/x-nobodys",
                "x-" + tested().contentType(),
                "application/x-nobodys; of=" + tested().contentType(),
                "ü".repeat(100),
                "\ud800",
                ";".repeat(LONGEST))) {
            assertThat(tested().reads(written)).as(written).isFalse();
        }
    }
}
