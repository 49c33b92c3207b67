// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuarantinePolicyTest {

    @ParameterizedTest(name = "limit {0}: {1} deliveries, {2} takeovers, survived: {3}")
    @CsvSource({
        // limit, deliveries, takeovers, survived, treatment
        "20,  0,  0, false, BesideOthers",
        "20,  2,  0, false, BesideOthers",
        "20,  3,  0, false, Alone",
        "20,  9,  0, true,  Alone",
        "20, 10,  0, true,  FreshCopy",
        "20, 10,  0, false, Alone",
        "20, 20,  0, false, Alone", // the broker's to set aside
        "20, 25,  0, false, Alone", // a policy of the broker allows more
        "20,  0,  2, false, BesideOthers",
        "20,  0,  3, false, Alone",
        "20,  0, 20, false, Alone",
        "20,  0, 21, false, SetAside",
        "20, 10, 21, true,  SetAside",
        "20,  0,  0, true,  BesideOthers", // no broker that counts: nothing is used up
        " 5,  1,  0, true,  BesideOthers",
        " 5,  2,  0, true,  FreshCopy",
        " 1,  1,  0, true,  FreshCopy",
        " 1,  0,  2, false, SetAside",
    })
    void decides(int limit, int deliveries, int takeovers, boolean survived, String expected) {
        QuarantinePolicy policy = new QuarantinePolicy(limit, Duration.ofSeconds(7));

        Treatment treatment = policy.decide(new Evidence(deliveries, takeovers, survived));

        assertThat(treatment.getClass().getSimpleName()).isEqualTo(expected);
    }

    @Test
    void waitsAreAsLongAsTheOnesWhoAskSay() {
        QuarantinePolicy policy = new QuarantinePolicy(20, Duration.ofSeconds(7));

        assertThat(policy.decide(Evidence.ofBroker(3))).isEqualTo(new Treatment.Alone(Duration.ofSeconds(7)));
        assertThat(policy.decide(Evidence.ofRecord(3))).isEqualTo(new Treatment.Alone(Duration.ofSeconds(7)));
    }
}
