// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RandomIdsTest {

    @Test
    void areRandomUuids() {
        Set<String> ids = new HashSet<>();
        SecureRandom random = new SecureRandom();
        for (int i = 0; i < 1_000; i++) {
            UUID id = UUID.fromString(RandomIds.next(random));
            assertThat(id.version()).isEqualTo(4);
            assertThat(id.variant()).isEqualTo(2);
            ids.add(id.toString());
        }

        assertThat(ids).hasSize(1_000);
    }

    @Test
    void areTheSameForTheSameSeed() {
        assertThat(RandomIds.next(new Random(7))).isEqualTo(RandomIds.next(new Random(7)));
    }
}
