// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.safebunny.autoconfigure.rabbit.TopologyCommand;
import io.safebunny.rules.TimeRule;
import org.junit.jupiter.api.Test;

class ThroughTheTimelineTest {

    private static final JavaClasses MODULE = new ClassFileImporter()
            .importUrl(
                    TopologyCommand.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void asksTheTimeAndWaitsAndMakesRandomNumbersThroughTheTimelineOnly() {
        assertThat(MODULE).isNotEmpty();
        assertThat(TimeRule.violations(MODULE.stream())).isEmpty();
    }
}
