// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PackagePrivateListener;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.Starts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.stereotype.Component;

/** What a proxy cannot pass on would run on the proxy itself, which has none of the bean's fields. */
class HandlerBehindProxyTest {

    private static final List<String> SEEN = new ArrayList<>();

    @Component("proxied")
    static class FinalMethod {
        private final String greeting = "handled ";

        @BunnyHandler(from = "orders")
        final void on(OrderPlaced event) {
            SEEN.add(greeting + event.orderId());
        }
    }

    @Component("proxied")
    @Scope(scopeName = "prototype")
    static class FinalInAPrototype extends FinalMethod {}

    @Component("proxied")
    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class FinalBehindAScopedProxy extends FinalMethod {}

    @Component("proxied")
    static class InheritedFromAnotherPackage extends PackagePrivateListener {}

    @Component("proxied")
    static class PrivateMethod {
        @BunnyHandler(from = "orders")
        @SuppressWarnings("UnusedMethod") // called as users' private methods are
        private void on(OrderPlaced event) {
            SEEN.add("handled " + event.orderId());
        }
    }

    private static BeanNameAutoProxyCreator creator(boolean ofClasses) {
        BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
        creator.setBeanNames("proxied");
        creator.setInterceptorNames("around");
        creator.setProxyTargetClass(ofClasses);
        return creator;
    }

    @Configuration(proxyBeanMethods = false)
    static class OfClasses {
        @Bean
        static BeanNameAutoProxyCreator proxies() {
            return creator(true);
        }

        @Bean
        static MethodInterceptor around() {
            return call -> call.proceed();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfInterfaces {
        @Bean
        static BeanNameAutoProxyCreator proxies() {
            return creator(false);
        }

        @Bean
        static MethodInterceptor around() {
            return OfClasses.around();
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                FinalMethod.class,
                FinalInAPrototype.class,
                FinalBehindAScopedProxy.class,
                InheritedFromAnotherPackage.class,
                PrivateMethod.class
            })
    void isRefused(Class<?> component) {
        try (Handlers handlers = new Handlers(OfClasses.class, component)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining("proxied.on(OrderPlaced)")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1104"));
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {FinalMethod.class, PrivateMethod.class})
    void isCalledWhereThereIsNoProxy(Class<?> component) throws Exception {
        assertHandles(component);
    }

    @Test
    void isCalledWhereThereIsNoProxyFromAnotherPackageToo() throws Exception {
        try (Handlers handlers = new Handlers(InheritedFromAnotherPackage.class)) {
            handlers.one().invoker().invoke(new OrderPlaced("o-1", 1), Handlers.message(Map.of()));

            assertThat(handlers.bean(PackagePrivateListener.class).seen).containsExactly("o-1");
        }
    }

    private static void assertHandles(Class<?>... components) throws Exception {
        SEEN.clear();
        try (Handlers handlers = new Handlers(components)) {
            handlers.one().invoker().invoke(new OrderPlaced("o-1", 1), Handlers.message(Map.of()));
        }
        assertThat(SEEN).containsExactly("handled o-1");
    }

    interface Listener {
        void on(OrderPlaced event);
    }

    @Component("proxied")
    static final class FinalClass implements Listener {
        @Override
        @BunnyHandler(from = "orders")
        public void on(OrderPlaced event) {
            SEEN.add("handled " + event.orderId());
        }
    }

    @Test
    void aFinalClassIsCalledThroughItsInterface() throws Exception {
        assertHandles(OfInterfaces.class, FinalClass.class);
    }

    @Component("proxied")
    @Scope("prototype")
    static class PrototypeBehindItsInterface implements Listener {
        @Override
        @BunnyHandler(from = "orders")
        public void on(OrderPlaced event) {
            SEEN.add("handled " + event.orderId());
        }
    }

    @Test
    void aPrototypeIsCalledThroughItsInterface() throws Exception {
        assertHandles(OfInterfaces.class, PrototypeBehindItsInterface.class);
    }

    @Component("proxied")
    @Lazy
    static class LazyBean {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {
            SEEN.add("handled " + event.orderId());
        }
    }

    @Test
    void aLazyBeanIsFound() throws Exception {
        assertHandles(OfClasses.class, LazyBean.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class FactoryOfAnInterface {
        @Bean
        ProxyFactoryBean made() {
            ProxyFactoryBean proxy = new ProxyFactoryBean();
            proxy.setTarget(new FinalClass());
            proxy.setInterfaces(Listener.class);
            proxy.addAdvice(OfClasses.around());
            return proxy;
        }
    }

    @Test
    void aTargetIsFoundThatAFactoryHidesBehindAnInterface() throws Exception {
        assertHandles(FactoryOfAnInterface.class);
    }

    record State(String order) {}

    @Component("proxied")
    @BunnySaga
    static class OrderSaga {
        @Starts
        @BunnyHandler(from = "orders")
        State on(OrderPlaced event) {
            return new State(event.orderId());
        }

        @OnTimeout("late")
        final void late() {}
    }

    @Test
    void isRefusedForEachMethodOfASaga() {
        try (Handlers handlers = new Handlers(OfClasses.class, OrderSaga.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::sagas)
                    .withMessageContaining("OrderSaga.late()")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1104"));
        }
    }
}
