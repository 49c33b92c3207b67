// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;

class MissingModuleTest {

    @Test
    void anExcludedModuleIsNamed() {
        FailureAnalysis rabbit = Objects.requireNonNull(startWithout("io/safebunny/rabbit/RabbitTransportOptions"));
        FailureAnalysis core = Objects.requireNonNull(startWithout("io/safebunny/engine/SafeBunnyEngine"));

        assertThat(rabbit.getDescription()).contains("safebunny-rabbit", "io.safebunny.rabbit.RabbitTransportOptions");
        assertThat(rabbit.getAction()).startsWith("Add io.safebunny:safebunny-rabbit");
        assertThat(core.getAction()).startsWith("Add io.safebunny:safebunny-core");
    }

    @Test
    void theApplicationsOwnClassesAreLeftToOthers() {
        assertThat(startWithout("com/example/Missing")).isNull();
    }

    private static @Nullable FailureAnalysis startWithout(String missing) {
        return new MissingModuleFailureAnalyzer()
                .analyze(new IllegalStateException("Failed to introspect", new NoClassDefFoundError(missing)));
    }
}
