// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerVersionTest {

    @ParameterizedTest
    @ValueSource(strings = {"3.9.29", "3.8", "2.99.1", "3.9.0-rc.1"})
    void tellsOfAnOldBrokerAndWhatToDo(String version) {
        assertThat(BrokerVersion.finding(version)).contains(version, "3.10", "Upgrade the broker");
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.10.0", "3.10", "3.13.7", "4.0.1", "4.3.0-beta.1", "10.0.0", "", "unknown", "3.x"})
    void saysNothingOfOthers(String version) {
        assertThat(BrokerVersion.finding(version)).isNull();
    }
}
