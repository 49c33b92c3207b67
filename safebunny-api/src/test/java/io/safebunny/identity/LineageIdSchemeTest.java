// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LineageIdSchemeTest {

    private static final String CORRELATION_ID = "db19dadf-39d7-4529-836d-cb89e97bfb48";

    private final LineageIdScheme scheme = new LineageIdScheme();

    @ParameterizedTest
    @MethodSource("io.safebunny.identity.Vectors#lineages")
    void agreesWithTheVectors(Vectors.Lineage vector) {
        assertThat(scheme.idOf(vector.ancestry())).isEqualTo(vector.messageId());
    }

    @Test
    void hasVectors() {
        assertThat(Vectors.lineages()).hasSizeGreaterThanOrEqualTo(9);
    }

    @Test
    void isAVersion8UuidOfTheRfc9562Variant() {
        UUID id = UUID.fromString(scheme.idOf(Vectors.ancestryOf(CORRELATION_ID, 1)));

        assertThat(id.version()).isEqualTo(8);
        assertThat(id.variant()).isEqualTo(2);
    }

    @Test
    void doesNotDependOnTheMarker() {
        assertThat(scheme.idOf(Vectors.ancestryOf(CORRELATION_ID, 1)))
                .isEqualTo(scheme.idOf(Vectors.ancestryOf(CORRELATION_ID, 2)));
    }

    @Test
    void tellsFieldsApartThatWouldReadTheSameWhenJoined() {
        assertThat(scheme.idOf(new Ancestry("ab", "c", "node", "Type", "1", 1)))
                .isNotEqualTo(scheme.idOf(new Ancestry("a", "bc", "node", "Type", "1", 1)));
    }

    @Test
    void isSelectedByItsName() {
        assertThat(scheme.name()).isEqualTo("sb-lineage");
    }
}
