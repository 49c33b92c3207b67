// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptsTest {

    @ParameterizedTest(name = "header {0}, record {1}: attempt {2}")
    @CsvSource({"0,0,0", "1,0,1", "2,0,1", "9,0,1", "0,3,3", "3,3,3", "4,3,4", "5,3,4"})
    void believesTheRecordAndAHeaderThatIsOneAhead(int header, int record, int attempt) {
        assertThat(Attempts.believed(MESSAGE.atAttempt(header), record)).isEqualTo(attempt);
    }
}
