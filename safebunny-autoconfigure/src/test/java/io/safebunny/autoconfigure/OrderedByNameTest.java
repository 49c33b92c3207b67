// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.annotation.MergedAnnotations;

/** Boot's modules may be missing or renamed, as its AMQP package is from 4.2 on: our order names classes, and never refers to them. */
class OrderedByNameTest {

    private static final List<String> RABBIT = List.of(
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
            "org.springframework.boot.rabbitmq.autoconfigure.RabbitAutoConfiguration");

    @Test
    void noOtherModulesClassIsReferredTo() {
        assertThat(Nodes.autoConfigurations()).allSatisfy(configuration -> {
            String module = configuration.getPackageName();
            assertThat(references(configuration))
                    .allSatisfy(other -> assertThat(other.getPackageName()).isEqualTo(module));
        });
    }

    private static Stream<Class<?>> references(Class<?> configuration) {
        return MergedAnnotations.from(configuration).stream(AutoConfiguration.class)
                .flatMap(order -> Stream.of(order.getClassArray("after"), order.getClassArray("before")))
                .flatMap(Arrays::stream);
    }

    @Test
    void bothNamesOfBootsRabbitAutoConfigurationAreKnown() {
        assertThat(Nodes.autoConfigurations().stream()
                        .flatMap(configuration -> MergedAnnotations.from(configuration).stream(AutoConfiguration.class))
                        .map(order -> List.of(order.getStringArray("afterName")))
                        .filter(names -> names.stream().anyMatch(RABBIT::contains)))
                .isNotEmpty()
                .allSatisfy(names -> assertThat(names).containsAll(RABBIT));
    }
}
