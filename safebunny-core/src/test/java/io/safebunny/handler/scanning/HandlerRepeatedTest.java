// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.safebunny.BunnyHandler;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.OrderPlaced;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.Retryable;
import org.springframework.retry.interceptor.RetryOperationsInterceptor;
import org.springframework.transaction.annotation.Transactional;

/** Advice that repeats a handler does not undo what the failed try did. */
class HandlerRepeatedTest {

    static class BySpringRetry {
        @Retryable
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Retryable
    static class OnTheClass {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    static class BySpring {
        @org.springframework.resilience.annotation.Retryable
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @org.springframework.resilience.annotation.Retryable
    @Retention(RetentionPolicy.RUNTIME)
    @interface Stubborn {}

    static class ByMetaAnnotation {
        @Stubborn
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    static class Plain {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class ByAdviceOfItsOwn {
        @Bean
        ProxyFactoryBean plain() {
            ProxyFactoryBean proxy = new ProxyFactoryBean();
            proxy.setTarget(new Plain());
            proxy.addAdvice(new RetryOperationsInterceptor());
            return proxy;
        }
    }

    static class WithATransactionForEachTry {
        @Transactional
        @org.springframework.resilience.annotation.Retryable
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods(proxyTargetClass = true)
    static class WithRetries {}

    private static List<String> warnings(Class<?>... components) {
        try (LogLines lines = new LogLines("io.safebunny.handler.scanning.HandlerAdvice", Level.WARN);
                Handlers handlers = new Handlers(components)) {
            assertThat(handlers.scan()).hasSize(1);
            return lines.texts();
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                BySpringRetry.class,
                OnTheClass.class,
                BySpring.class,
                ByMetaAnnotation.class,
                ByAdviceOfItsOwn.class
            })
    void isSaidAtTheStart(Class<?> component) {
        assertThat(warnings(WithRetries.class, component))
                .singleElement()
                .asString()
                .startsWith("SB-1115")
                .contains("on(OrderPlaced)")
                .contains("@BunnyRetry");
    }

    @ParameterizedTest
    @ValueSource(classes = {Plain.class, WithATransactionForEachTry.class})
    void isNotSaidWhereNothingOfAFailedTryStays(Class<?> component) {
        assertThat(warnings(WithRetries.class, component)).isEmpty();
    }
}
