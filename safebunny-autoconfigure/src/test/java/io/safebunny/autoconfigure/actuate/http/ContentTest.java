// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was masked is known, and is not written back. */
class ContentTest {

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"a": 1.50}         | {"a":1.50}       | true  | false
            {"a":1,"b":2}       | {"b":2,"a":1}    | true  | false
            {"a":"x"}           | {"a":"***"}      | true  | true
            {"a":"x"}           | {}               | true  | true
            plain               | plain            | true  | false
            plain               | pl***            | true  | true
            plain               | not shown: why   | false | true
            not shown: why      | not shown: why   | true  | false
            """)
    void isMaskedIfItDiffersInMoreThanTheWayItIsWritten(String stored, String text, boolean shown, boolean masked) {
        assertThat(Content.of(text, bytes(stored))).isEqualTo(new Content(text, shown, masked));
    }

    /** Its text has other characters in the place of those that are none. */
    @Test
    void whatIsNoUtf8IsNotWhatIsShownOfIt() {
        byte[] latin = "Müller".getBytes(StandardCharsets.ISO_8859_1);

        assertThat(Content.of(new String(latin, StandardCharsets.UTF_8), latin).masked())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"iban":"***","n":1}              | {"iban":"***","n":2}                  | iban
            {"card":{"no":0},"no":0}          | {"card":{"no":0},"no":0}              | card.no
            [{"iban":"***"},{"n":1}]          | [{"n":1},{"n":2},{"iban":"***"}]      | iban
            {"a":{"b":"***"}}                 | {"a":{"b":"***"}}                     | a.b
            first\\n***\\nlast                | first\\n***\\nother                  | a line
            """)
    void refusesWhatTheMaskHasMade(String shown, String given, String where) {
        String text = shown.replace("\\n", "\n");
        byte[] stored = bytes(text.replace("***", "DE02").replace("{\"no\":0}", "{\"no\":4711}"));

        assertThatThrownBy(() -> Content.of(text, stored).requireNoMask("body", stored, given.replace("\\n", "\n")))
                .hasMessageContaining("SB-5001")
                .hasMessageContaining("the value of " + where + ".");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"iban":"***","n":1}              | {"iban":"DE02","n":2}
            {"iban":"***","n":1}              | {"iban":"DE03","n":2}
            {"iban":"***","n":1}              | {"n":2}
            {"card":{"no":0},"no":0}          | {"card":{"no":4711},"no":0}
            {"iban":"DE02","n":"x"}           | {"iban":"DE02","n":"***"}
            {"iban":"***"}                    | another
            """)
    void takesTheRealValueOrNone(String shown, String given) {
        byte[] stored = bytes(shown.replace("***", "DE02").replace("{\"no\":0}", "{\"no\":4711}"));

        Content.of(shown, stored).requireNoMask("body", stored, given);
    }

    /** A mask that fails for a moment is no permission. */
    @Test
    void refusesEverythingIfNobodyKnowsWhatTheMaskShows() {
        assertThatThrownBy(() -> Content.notShown("the BodyMasker failed with X")
                        .requireNoMask("body", bytes("{}"), "{\"a\":\"***\"}"))
                .hasMessageContaining("SB-5001")
                .hasMessageContaining("the BodyMasker failed with X");
        assertThatThrownBy(() -> Content.notShown("it is too large").requireNoMask("body", null, "{}"))
                .hasMessageContaining("it is too large");
    }

    @Test
    void refusesASentenceThatStandsForABody() {
        assertThatThrownBy(() -> Content.requireNoSentence(
                        "body", Content.notShown("it is too large").text()))
                .hasMessageContaining("SB-5001")
                .hasMessageContaining("Give the real one");
    }
}
