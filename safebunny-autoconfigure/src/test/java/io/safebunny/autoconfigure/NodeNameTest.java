// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.node.SafeBunnyOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class NodeNameTest {

    private final ApplicationContextRunner runner = Nodes.bare().withPropertyValues("safebunny.transport=memory");

    @Test
    void isTheProperty() {
        runner.withPropertyValues("safebunny.node=billing", "spring.application.name=other")
                .run(context -> assertThat(
                                context.getBean(SafeBunnyOptions.class).node())
                        .isEqualTo("billing"));
    }

    @Test
    void isElseTheApplicationsName() {
        runner.withPropertyValues("spring.application.name=orders").run(context -> assertThat(
                        context.getBean(SafeBunnyOptions.class).node())
                .isEqualTo("orders"));
    }

    @Test
    void mustBeSetSomewhere() {
        runner.run(context -> assertThat(failure(context))
                .satisfies(failure -> assertThat(failure.code()).isEqualTo("SB-1302"))
                .satisfies(
                        failure -> assertThat(failure.problem()).contains("safebunny.node", "spring.application.name"))
                .satisfies(failure -> assertThat(failure.action()).contains("safebunny.node=billing")));
    }

    @Test
    void wrongPropertyIsRefused() {
        runner.withPropertyValues("safebunny.node=Billing EU")
                .run(context -> assertThat(failure(context)).hasMessageContaining("[safebunny.node=Billing EU]"));
    }

    @ParameterizedTest
    @CsvSource({"Order Service, order-service", "ÄÖÜ, billing", "_orders, orders"})
    void applicationNameThatIsNoNodeComesWithOneThatIs(String application, String node) {
        runner.withPropertyValues("spring.application.name=" + application).run(context -> assertThat(failure(context))
                .satisfies(failure -> assertThat(failure.code()).isEqualTo("SB-1303"))
                .satisfies(
                        failure -> assertThat(failure.action()).isEqualTo("Set safebunny.node=%s.".formatted(node))));
    }

    private static ConfigurationException failure(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        for (Throwable failure = context.getStartupFailure(); failure != null; failure = failure.getCause()) {
            if (failure instanceof ConfigurationException found) {
                return found;
            }
        }
        throw new AssertionError("Another failure", context.getStartupFailure());
    }
}
