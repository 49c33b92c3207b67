// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyScope;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Whatever runs a handler on another thread would have its message acknowledged before it has run. */
class HandlerElsewhereTest {

    static class OnTheMethod {
        @Async
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}

        void another() {}
    }

    @Async
    static class OnTheClass {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    static class OnTheSuperclass extends OnTheClass {
        @Override
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    interface Listener {
        @Async
        void on(OrderPlaced event);
    }

    static class OnTheInterface implements Listener {
        @Override
        @BunnyHandler(from = "orders")
        public void on(OrderPlaced event) {}
    }

    @Async
    @Retention(RetentionPolicy.RUNTIME)
    @interface InTheBackground {}

    static class ByMetaAnnotation {
        @InTheBackground
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class WithAsync {}

    @ParameterizedTest
    @ValueSource(
            classes = {
                OnTheMethod.class,
                OnTheClass.class,
                OnTheSuperclass.class,
                OnTheInterface.class,
                ByMetaAnnotation.class
            })
    void isRefusedWhereverTheAnnotationIs(Class<?> component) {
        try (Handlers handlers = new Handlers(WithAsync.class, component)) {
            assertRefused(handlers::scan, component);
        }
    }

    /** It would be in force as soon as somebody adds {@code @EnableAsync}. */
    @Test
    void isRefusedWhileTheAnnotationHasNoEffect() {
        try (Handlers handlers = new Handlers(OnTheMethod.class)) {
            assertRefused(handlers::scan, OnTheMethod.class);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Background {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(annotation = Background.class, proxyTargetClass = true)
    static class WithAnAnnotationOfItsOwn {}

    static class OfAnAnnotationOfItsOwn {
        @Background
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Scope("prototype")
    static class Prototype extends OfAnAnnotationOfItsOwn {}

    @BunnyScope
    static class PerMessage extends OfAnAnnotationOfItsOwn {
        PerMessage() {
            throw new IllegalStateException("made although there is no message");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfAnAnnotationOfItsOwn.class, Prototype.class, PerMessage.class})
    void isRefusedWithAnAnnotationThatOnlyTheProxyKnows(Class<?> component) {
        try (Handlers handlers = new Handlers(WithAnAnnotationOfItsOwn.class, component)) {
            assertRefused(handlers::scan, component);
        }
    }

    static class Plain {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithAdviceOfItsOwn {
        @Bean
        ProxyFactoryBean plain() {
            ProxyFactoryBean outer = new ProxyFactoryBean();
            outer.setTarget(proxy("on"));
            outer.setProxyTargetClass(true);
            return outer;
        }

        static Object proxy(String method) {
            NameMatchMethodPointcutAdvisor advisor =
                    new NameMatchMethodPointcutAdvisor(new AsyncExecutionInterceptor(new SyncTaskExecutor()));
            advisor.addMethodName(method);
            ProxyFactory inner = new ProxyFactory(new Plain());
            inner.addAdvisor(advisor);
            return inner.getProxy();
        }
    }

    @Test
    void isRefusedWithAdviceOfTheApplicationBehindAnotherProxy() {
        try (Handlers handlers = new Handlers(WithAdviceOfItsOwn.class)) {
            assertRefused(handlers::scan, Plain.class);
        }
    }

    static class NextToAnAsynchronousMethod {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}

        @Async
        void sendMail() {}
    }

    @Test
    void anotherMethodOfTheBeanMayBeAsynchronous() {
        try (Handlers handlers = new Handlers(WithAsync.class, NextToAnAsynchronousMethod.class)) {
            assertThat(handlers.scan()).hasSize(1);
        }
    }

    record State(String order) {}

    @BunnySaga
    static class OrderSaga {
        @Async
        @Starts
        @BunnyHandler(from = "orders")
        State on(OrderPlaced event) {
            return new State(event.orderId());
        }
    }

    @Test
    void isRefusedForSagas() {
        try (Handlers handlers = new Handlers(OrderSaga.class)) {
            assertRefused(handlers::sagas, OrderSaga.class);
        }
    }

    private static void assertRefused(ThrowingCallable scan, Class<?> component) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(scan)
                .withMessageContaining(component.getSimpleName())
                .withMessageContaining("on(OrderPlaced)")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1113"));
    }
}
