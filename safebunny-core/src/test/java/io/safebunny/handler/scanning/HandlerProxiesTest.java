// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyScope;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.HandlerDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class HandlerProxiesTest {

    private static final List<String> SEEN = new ArrayList<>();

    static class Invoicing {
        private final String greeting = "handled ";

        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {
            SEEN.add(greeting + event.orderId());
        }
    }

    private static MethodInterceptor around() {
        return call -> {
            SEEN.add("around");
            return call.proceed();
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class WithProxyFactoryBean {
        @Bean
        ProxyFactoryBean invoicing() {
            ProxyFactoryBean proxy = new ProxyFactoryBean();
            proxy.setTarget(new Invoicing());
            proxy.setProxyTargetClass(true);
            proxy.addAdvice(around());
            return proxy;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithAutoProxy {
        @Bean
        static BeanNameAutoProxyCreator proxies() {
            BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
            creator.setBeanNames("invoicing", "declared");
            creator.setInterceptorNames("around");
            creator.setProxyTargetClass(true);
            return creator;
        }

        @Bean
        static MethodInterceptor around() {
            return HandlerProxiesTest.around();
        }

        @Bean
        Invoicing invoicing() {
            return new Invoicing();
        }
    }

    @Test
    void callsThroughAProxyOfTheClass() throws Exception {
        for (Class<?> configuration : List.of(WithProxyFactoryBean.class, WithAutoProxy.class)) {
            SEEN.clear();
            try (Handlers handlers = new Handlers(configuration)) {
                assertThat(AopUtils.isCglibProxy(handlers.bean(Invoicing.class)))
                        .isTrue();
                HandlerDefinition handler = handlers.one();
                handler.invoker().invoke(new OrderPlaced("o-1", 1), Handlers.message(Map.of()));

                assertThat(handler.description()).isEqualTo("invoicing.on(OrderPlaced)");
                assertThat(SEEN).containsExactly("around", "handled o-1");
            }
        }
    }

    @BunnyScope
    static class PerMessage {
        private final List<String> mine = new ArrayList<>();

        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {
            mine.add(event.orderId());
            SEEN.add(String.join(",", mine));
        }
    }

    @Test
    void givesAHandlerInTheMessageScopeANewInstancePerMessage() throws Exception {
        SEEN.clear();
        try (Handlers handlers = new Handlers(PerMessage.class)) {
            HandlerDefinition handler = handlers.one();
            handlers.scope.run(() -> {
                handler.invoker().invoke(new OrderPlaced("a", 1), Handlers.message(Map.of()));
                handler.invoker().invoke(new OrderPlaced("b", 1), Handlers.message(Map.of()));
            });
            handlers.scope.run(() -> handler.invoker().invoke(new OrderPlaced("c", 1), Handlers.message(Map.of())));
        }

        assertThat(SEEN).containsExactly("a", "a,b", "c");
    }

    interface Declared {
        void on(OrderPlaced event);

        void unrelated();
    }

    static class BehindItsInterface implements Declared {
        @Override
        @BunnyHandler(from = "orders")
        public void on(OrderPlaced event) {
            SEEN.add("handled " + event.orderId());
        }

        @Override
        public void unrelated() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInterfaceProxy {
        @Bean
        static BeanNameAutoProxyCreator proxies() {
            BeanNameAutoProxyCreator creator = WithAutoProxy.proxies();
            creator.setProxyTargetClass(false);
            return creator;
        }

        @Bean
        static MethodInterceptor around() {
            return HandlerProxiesTest.around();
        }

        @Bean("declared")
        BehindItsInterface declared() {
            return new BehindItsInterface();
        }
    }

    @Test
    void callsThroughAProxyOfTheInterfaceThatDeclaresTheMethod() throws Exception {
        SEEN.clear();
        try (Handlers handlers = new Handlers(WithInterfaceProxy.class)) {
            assertThat(AopUtils.isJdkDynamicProxy(handlers.bean(Declared.class)))
                    .isTrue();
            handlers.one().invoker().invoke(new OrderPlaced("o-1", 1), Handlers.message(Map.of()));
        }

        assertThat(SEEN).containsExactly("around", "handled o-1");
    }

    static class WithMoreThanItsInterface implements Runnable {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {
            SEEN.add("handled " + event.orderId());
        }

        @Override
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithHiddenMethod {
        @Bean
        static BeanNameAutoProxyCreator proxies() {
            return WithInterfaceProxy.proxies();
        }

        @Bean
        static MethodInterceptor around() {
            return HandlerProxiesTest.around();
        }

        @Bean("declared")
        WithMoreThanItsInterface declared() {
            return new WithMoreThanItsInterface();
        }
    }

    @Test
    void refusesAMethodThatTheProxyHides() {
        try (Handlers handlers = new Handlers(WithHiddenMethod.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining("declared.on(OrderPlaced)")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1104"))
                    .satisfies(e -> assertThat(e.action()).contains("proxyTargetClass"));
        }
    }
}
