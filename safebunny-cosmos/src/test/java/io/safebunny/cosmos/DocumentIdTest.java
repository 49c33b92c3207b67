// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DocumentIdTest {

    @Test
    void leavesUuidsAsTheyAre() {
        assertThat(DocumentId.of("4be0643f-1d98-873b-97cd-CA98A65347DD"))
                .isEqualTo("4be0643f-1d98-873b-97cd-CA98A65347DD");
    }

    @Test
    void encodesWhatTheServiceOrAUrlWouldNotTake() {
        assertThat(DocumentId.of("a/b\\c?d#e;f.g:h_i~j k%l"))
                .isEqualTo("a_2Fb_5Cc_3Fd_23e_3Bf_2Eg_3Ah_5Fi_7Ej_20k_25l");
        assertThat(DocumentId.of("..")).isEqualTo("_2E_2E");
        assertThat(DocumentId.of("ü")).isEqualTo("_C3_BC");
    }

    @Test
    void isUnambiguous() {
        assertThat(DocumentId.of("_3A")).isNotEqualTo(DocumentId.of(":"));
        assertThat(IntStream.range(1, 128)
                        .mapToObj(c -> DocumentId.of(String.valueOf((char) c)))
                        .collect(Collectors.toSet()))
                .hasSize(127);
    }

    @Test
    void staysFarBelowTheLimitOf1023Bytes() {
        assertThat(DocumentId.of("~".repeat(160))).hasSize(480);
    }
}
