// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.Starts;
import jakarta.validation.Valid;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class SagaScanningTest {

    private final ApplicationContextRunner runner = Nodes.memory().withPropertyValues("safebunny.store.type=memory");

    record Placed(String order) {}

    record State(String order) {}

    @BunnySaga
    static class OrderSaga {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(@Valid Placed placed) {
            return new State(placed.order());
        }
    }

    static class Mailer {
        @BunnyHandler(from = "storefront")
        void on(Placed placed) {}
    }

    static class Stray {
        @OnTimeout("late")
        void late() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnScanner {
        @Bean
        SagaScanner own(ConfigurableListableBeanFactory beans, HandlerDefaults defaults) {
            return new SagaScanner(beans, defaults, null);
        }
    }

    private static Validator validator() {
        return Validation.byDefaultProvider()
                .configure()
                .messageInterpolator(new ParameterMessageInterpolator())
                .buildValidatorFactory()
                .getValidator();
    }

    @Test
    void findsTheSagasOfTheApplication() {
        runner.withBean(Validator.class, SagaScanningTest::validator)
                .withBean(OrderSaga.class)
                .run(context -> assertThat(context.getBean(SagaScanner.class).sagas())
                        .singleElement()
                        .satisfies(saga -> assertThat(saga.name()).isEqualTo("OrderSaga")));
    }

    @Test
    void canBeTheApplicationsOwn() {
        runner.withUserConfiguration(OwnScanner.class)
                .run(context ->
                        assertThat(context).hasSingleBean(SagaScanner.class).hasBean("own"));
    }

    @Test
    void refusesAValidPayloadThatNobodyValidates() {
        runner.withBean(OrderSaga.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("SB-1106"));
    }

    @Test
    void refusesASagaAndAnOrdinaryHandlerOfOneType() {
        runner.withBean(Validator.class, SagaScanningTest::validator)
                .withBean(OrderSaga.class)
                .withBean("mailer", Mailer.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageStartingWith("SB-1102")
                        .hasMessageContaining("mailer.on(Placed)")
                        .hasMessageContaining("OrderSaga.on(Placed)"));
    }

    @Test
    void refusesMethodsOfSagasElsewhere() {
        runner.withBean(Stray.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageStartingWith("SB-1107")
                .hasMessageContaining("Stray.late()"));
    }
}
