// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.rabbit.RabbitTransport;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.MergedAnnotations;

/** {@code safebunny.enabled=false}: the application runs as if the jars were not there. */
class SwitchedOffTest {

    private final ApplicationContextRunner off = Nodes.bare()
            .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
            .withPropertyValues(
                    "safebunny.enabled=false",
                    // each of these adds beans, or fails, where SafeBunny is switched on
                    "safebunny.topology=plan",
                    "safebunny.store.type=jdbc",
                    "safebunny.scheduling.enabled=true",
                    "safebunny.listener.prefetch=0");

    @Test
    void thereIsNoBeanAndNoConnection() {
        off.run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(RabbitTransport.class);
            assertThat(context.getBeanDefinitionNames())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("bunny"));
        });
    }

    @Test
    void everyAutoConfigurationAsks() {
        List<Class<?>> asking = Nodes.autoConfigurations().stream()
                .filter(SwitchedOffTest::asks)
                .toList();
        assertThat(asking).isEqualTo(Nodes.autoConfigurations()).hasSizeGreaterThan(10);
    }

    private static boolean asks(Class<?> configuration) {
        return MergedAnnotations.from(configuration).stream(ConditionalOnBooleanProperty.class)
                .anyMatch(condition -> List.of(condition.getStringArray("name")).contains("safebunny.enabled")
                        && condition.getBoolean("matchIfMissing"));
    }

    @Test
    void anApplicationThatAsksForBunnyStarts() {
        off.withBean(Asking.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Asking.class).isThere).isFalse();
        });
    }

    @Test
    void anApplicationThatNeedsBunnyIsToldWhy() {
        off.withBean(Needing.class).run(context -> {
            FailureAnalysis analysis = Analyses.of(context.getStartupFailure(), false);
            assertThat(analysis.getDescription())
                    .startsWith("SB-1312 SafeBunny is switched off [safebunny.enabled=false]")
                    .contains("io.safebunny.Bunny", Needing.class.getName());
            assertThat(analysis.getAction()).contains("ObjectProvider<Bunny>", "@ConditionalOnBooleanProperty");
        });
    }

    /** Boot's own analysis is right there. */
    @Test
    void nothingElseIsBlamedOnIt() {
        off.withBean(NeedingAnother.class).run(context -> {
            FailureAnalysis analysis = Analyses.of(context.getStartupFailure(), false);
            assertThat(analysis.getDescription()).doesNotContain("SB-1312");
        });
    }

    static class Asking {
        final boolean isThere;

        Asking(ObjectProvider<Bunny> bunny) {
            isThere = bunny.getIfAvailable() != null;
        }
    }

    static class Needing {
        Needing(Bunny bunny) {}
    }

    static class NeedingAnother {
        NeedingAnother(StringBuilder other) {}
    }
}
