// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyedLineageTest {

    private static LineageIdScheme keyed(String secret) {
        return LineageIdScheme.withSecret(secret.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource("io.safebunny.identity.Vectors#keyed")
    void agreesWithTheVectors(Vectors.Keyed vector) {
        String id = keyed(vector.secret()).idOf(vector.ancestry());

        assertThat(id).isEqualTo(vector.messageId()).isNotEqualTo(new LineageIdScheme().idOf(vector.ancestry()));
        assertThat(UUID.fromString(id).version()).isEqualTo(8);
        assertThat(UUID.fromString(id).variant()).isEqualTo(2);
    }

    @Test
    void hasVectors() {
        assertThat(Vectors.keyed()).hasSizeGreaterThanOrEqualTo(19);
    }

    @Test
    void secretsAreNotMixedUpOnOneThread() {
        Vectors.Keyed one = Vectors.keyed().get(0);
        LineageIdScheme first = keyed(one.secret());
        LineageIdScheme other = keyed("another secret of more than 32 bytes");

        String id = first.idOf(one.ancestry());
        assertThat(other.idOf(one.ancestry())).isNotEqualTo(id);
        assertThat(first.idOf(one.ancestry())).isEqualTo(id);
    }

    @Test
    void refusesAShortSecretWithoutShowingIt() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> keyed("hunter2hunter2hunter2hunter2hun"))
                .withMessageContaining("[bytes=31]")
                .withMessageNotContaining("hunter2");
        Object scheme = keyed("hunter2hunter2hunter2hunter2hunt");
        assertThat(scheme.toString()).doesNotContain("hunter2");
    }
}
