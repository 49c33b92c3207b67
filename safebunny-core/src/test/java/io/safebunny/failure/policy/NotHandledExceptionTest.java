// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NotHandledExceptionTest {

    /** Cosmos DB asks for a few milliseconds. */
    @ParameterizedTest
    @CsvSource({"PT0.003S, PT1S", "PT1S, PT1S", "PT7S, PT7S"})
    void pausesForASecondAtLeast(Duration asked, Duration paused) {
        NotHandledException throttled = NotHandledException.throttled("throttled", asked);

        assertThat(throttled.pause()).isEqualTo(paused);
        assertThat(throttled.delay()).isEqualTo(paused);
    }
}
