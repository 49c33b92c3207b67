// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.InvalidPublicationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MarkerMaskIdSchemeTest {

    private final MarkerMaskIdScheme scheme = new MarkerMaskIdScheme();

    @ParameterizedTest
    @MethodSource("io.safebunny.identity.Vectors#markerMasks")
    void agreesWithTheVectors(Vectors.MarkerMask vector) {
        String id = scheme.idOf(vector.ancestry());

        assertThat(id).isEqualTo(vector.messageId());
        assertThat(id.replace("-", "")).endsWith(vector.digits());
    }

    @Test
    void hasVectors() {
        assertThat(Vectors.markerMasks()).hasSizeGreaterThanOrEqualTo(14);
    }

    @Test
    void collidesWhereTheVectorsSayItCollides() {
        Vectors.Collision collision = Vectors.read().markerMaskCollision();

        assertThat(collision.ancestries()).hasSize(2).allSatisfy(ancestry -> assertThat(scheme.idOf(ancestry))
                .isEqualTo(collision.messageId()));
    }

    @Test
    void skipsHyphens() {
        String id = scheme.idOf(Vectors.ancestryOf("00000000-0000-0000-0000-000000000000", Integer.MAX_VALUE));

        assertThat(id).matches("[0-9a-y]{8}(-[0-9a-y]{4}){3}-[0-9a-y]{12}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"order-42", "db19dadf39d74529836dcb89e97bfb48", "db19dadf-39d7-4529-836d-cb89e97bfb4z"})
    void namesThePropertyToSetWhenTheCorrelationIdIsNotAUuid(String correlationId) {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> scheme.idOf(Vectors.ancestryOf(correlationId, 1)))
                .withMessageContaining("safebunny.ids.scheme=sb-lineage")
                .withMessageContaining(correlationId);
    }

    @Test
    void isSelectedByItsName() {
        assertThat(scheme.name()).isEqualTo("marker-mask");
    }
}
