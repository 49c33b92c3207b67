// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.http.Content;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PoisonViewsTest {

    /** In protobuf, with a length above 127, so that it is no UTF-8. */
    private static final byte[] BINARY = {0x08, (byte) 0xff, 0x01};

    private static PoisonCopy copy(byte... body) {
        PoisonedMessage message = new PoisonedMessage(
                "d",
                "m-1",
                "c-1",
                "Struct",
                "handler-failed",
                "q",
                null,
                "",
                "",
                body.length,
                "",
                Map.of(),
                Verdict.RUN,
                "");
        return new PoisonCopy(message, body, null);
    }

    @Test
    void aBodyThatIsNoTextIsNotShownAsGarbage() {
        Content content = new PoisonViews(BodyMasker.none()).body(copy(BINARY));

        assertThat(content.shown()).isFalse();
        assertThat(content.text()).startsWith("not shown: it is no text");
    }

    @Test
    void aMaskerMayMakeTextOfIt() {
        Content content = new PoisonViews((message, body) -> body.length + " bytes").body(copy(BINARY));

        assertThat(content.shown()).isTrue();
        assertThat(content.text()).isEqualTo("3 bytes");
    }

    @Test
    void textIsShownAsItIs() {
        assertThat(new PoisonViews(BodyMasker.none()).body(copy((byte) 'a')).text())
                .isEqualTo("a");
    }
}
