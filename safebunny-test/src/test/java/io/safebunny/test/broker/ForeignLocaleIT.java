// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Run again on a machine whose numbers have other digits: the execution {@code another-locale} of this module. */
class ForeignLocaleIT {

    @Test
    void aBrokerOfTheTestsStarts() {
        assumeThat(Locale.getDefault()).isEqualTo(Locale.forLanguageTag("ar-EG"));
        assertThat("%d".formatted(1)).isEqualTo("١");

        TestBroker broker = TestBroker.shared();

        assertThat(broker.version()).matches("\\d+\\.\\d+.*");
        assertThat(broker.uri().toString()).matches("amqp://.*:[0-9]+.*");
    }
}
