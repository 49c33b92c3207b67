// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import io.safebunny.rabbit.topology.DelayStrategy;
import org.junit.jupiter.api.Test;

class RabbitTransportOptionsTest {

    @Test
    void withoutAChannelNothingCouldBePublished() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new RabbitTransportOptions(0, DelayStrategy.LADDER))
                .withMessageStartingWith("SB-5001 ")
                .withMessageContaining("at least one publisher channel");
    }
}
