// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.logs;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.slf4j.helpers.NOPLoggerFactory;

class MissingLogbackTest {

    @Test
    void saysThatLogbackIsMissing() {
        assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(() -> CapturedLogs.requireLogback(new NOPLoggerFactory()))
                .withMessageContaining("org.slf4j.helpers.NOPLoggerFactory")
                .withMessageContaining("logback-classic");
    }
}
