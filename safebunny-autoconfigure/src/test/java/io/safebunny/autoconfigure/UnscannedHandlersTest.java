// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyHandler;
import io.safebunny.test.logs.CaptureLogs;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Handlers that the node does not find are refused where it can see them: nobody waits for messages in silence. */
@CaptureLogs
class UnscannedHandlersTest {

    interface Listener {}

    static class FromShop implements Listener {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {}
    }

    static class Outer {
        private Listener listener = new Listener() {};

        public Listener getListener() {
            return listener;
        }

        public void setListener(Listener listener) {
            this.listener = listener;
        }
    }

    static class Factory implements FactoryBean<Outer> {
        @Override
        public Outer getObject() {
            return new Outer();
        }

        @Override
        public Class<?> getObjectType() {
            return Outer.class;
        }

        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class HiddenByItsType {
        @Bean
        @Lazy
        Listener listener() {
            return new FromShop();
        }
    }

    private static void assertRefused(AssertableApplicationContext context, Class<?> handlers) {
        assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageStartingWith("SB-1114")
                .hasMessageContaining(handlers.getName());
    }

    @Test
    void inABeanWithinABean() {
        Nodes.memory()
                .withInitializer(context -> {
                    RootBeanDefinition outer = new RootBeanDefinition(Outer.class);
                    outer.getPropertyValues().add("listener", new RootBeanDefinition(FromShop.class));
                    ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("outer", outer);
                })
                .run(context -> assertRefused(context, FromShop.class));
    }

    @Test
    void inAFactory() {
        Nodes.memory().withBean(Factory.class).run(context -> assertRefused(context, Factory.class));
    }

    @Test
    void inABeanThatIsMadeLaterAndWasDeclaredAsSomethingElse(CapturedLogs logs) {
        Nodes.memory().withUserConfiguration(HiddenByItsType.class).run(context -> {
            assertThat(context).hasNotFailed();
            Listener unused = context.getBean(Listener.class);
        });

        assertThat(logs.all())
                .filteredOn(line -> line.level() == Level.ERROR)
                .extracting(LogLine::message)
                .singleElement()
                .asString()
                .startsWith("SB-1114")
                .contains("listener", FromShop.class.getName());
    }

    @Test
    void inAChildContext() {
        Nodes.memory().run(node -> {
            try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
                child.setParent(node.getSourceApplicationContext());
                child.register(FromShop.class);
                assertThatThrownBy(child::refresh)
                        .hasMessageStartingWith("SB-1114")
                        .hasMessageContaining(FromShop.class.getName());
            }
        });
    }

    @Test
    void inAParentContext() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(FromShop.class)) {
            Nodes.memory().withParent(parent).run(context -> assertRefused(context, FromShop.class));
        }
    }

    @Test
    void aChildContextWithoutHandlersIsNoMatter() {
        Nodes.memory().withBean(FromShop.class).run(node -> {
            try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
                child.setParent(node.getSourceApplicationContext());
                child.register(Outer.class);
                child.refresh();
                assertThat(child.isActive()).isTrue();
            }
        });
    }
}
