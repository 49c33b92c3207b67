// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokerTest {

    private final String before = System.getProperty(Broker.PROPERTY, "");

    @BeforeEach
    void clear() {
        System.clearProperty(Broker.PROPERTY);
    }

    @AfterEach
    void restore() {
        System.setProperty(Broker.PROPERTY, before);
    }

    @Test
    void itIsInMemoryUnlessSaidOtherwise() {
        assertThat(Broker.AS_CONFIGURED.chosen()).isEqualTo(Broker.MEMORY);
    }

    @ParameterizedTest
    @CsvSource({"real,REAL", "memory,MEMORY", "REAL,REAL"})
    void theSystemPropertyChooses(String property, Broker expected) {
        System.setProperty(Broker.PROPERTY, property);

        assertThat(Broker.AS_CONFIGURED.chosen()).isEqualTo(expected);
    }

    @Test
    void whatAClassSaysCounts() {
        System.setProperty(Broker.PROPERTY, "real");

        assertThat(Broker.MEMORY.chosen()).isEqualTo(Broker.MEMORY);
    }

    @Test
    void anUnknownBrokerIsRefused() {
        System.setProperty(Broker.PROPERTY, "as_configured");

        assertThatThrownBy(Broker.AS_CONFIGURED::chosen)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "[safebunny.test.broker=as_configured]. Set the system property to memory or real");
    }
}
