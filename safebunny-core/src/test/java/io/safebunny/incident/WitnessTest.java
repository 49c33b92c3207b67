// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.observation.DetailsByType;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonCopy.Failure;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WitnessTest {

    /** After five replays, the test would say the same five times. */
    @Test
    void attemptsThatFailedAlikeAreToldOnce() {
        assertThat(new Witness(new DetailsByType(ExceptionDetails.FULL))
                        .of(copy(
                                failure(0, "the bank is closed"),
                                failure(1, "the bank is closed"),
                                failure(2, "no money"),
                                failure(3, "the bank is closed"))))
                .containsExactly(
                        "What production saw: Charge 7 was set aside at 1970-01-01T00:00:09Z because of handler-failed, with",
                        "an exception that is not known.",
                        "3 attempts from 1970-01-01T00:00:00Z to 1970-01-01T00:00:03Z, the last on instance b-1, failed alike,"
                                + " the last after 13 ms: BankException: the bank is closed",
                        "Attempt at 1970-01-01T00:00:02Z on instance b-1, failed after 12 ms: BankException: no money");
    }

    private static Failure failure(int second, String text) {
        return new Failure(Instant.ofEpochSecond(second), "b-1", 10 + second, "BankException", text, null);
    }

    private static PoisonCopy copy(Failure... failures) {
        return new PoisonCopy(
                new PoisonedMessage(
                        "digest",
                        "7",
                        "order-7",
                        "Charge",
                        "handler-failed",
                        "billing-Charge",
                        Instant.ofEpochSecond(9),
                        "",
                        "",
                        0,
                        "",
                        Map.of(),
                        Verdict.UNKNOWN,
                        ""),
                null,
                new PoisonCopy.Stored("POISONED", 0, 1, "b-1", List.of(), 0, List.of(failures)));
    }
}
