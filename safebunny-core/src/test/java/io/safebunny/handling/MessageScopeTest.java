// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class MessageScopeTest {

    private static final AtomicInteger CREATED = new AtomicInteger();
    private static final List<Integer> DESTROYED = new ArrayList<>();

    @BunnyScope
    static class PerMessage implements DisposableBean {
        private final int number;

        PerMessage() {
            // a scoped proxy is a subclass made without calling this
            number = CREATED.incrementAndGet();
        }

        int number() {
            return number;
        }

        @Override
        public void destroy() {
            DESTROYED.add(number);
            if (number < 0) {
                throw new IllegalStateException("never");
            }
        }
    }

    static class FailsToEnd implements DisposableBean {
        String use() {
            return "used";
        }

        @Override
        public void destroy() {
            throw new IllegalStateException("cannot end");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        @BunnyScope
        FailsToEnd failsToEnd() {
            return new FailsToEnd();
        }
    }

    private final MessageScope scope = new MessageScope();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private PerMessage bean = new PerMessage();

    @BeforeEach
    void start() {
        context.getBeanFactory().registerScope(BunnyScope.NAME, scope);
        context.register(PerMessage.class, Beans.class);
        context.refresh();
        bean = context.getBean(PerMessage.class);
        CREATED.set(0);
        DESTROYED.clear();
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void givesOneInstancePerMessage() throws Exception {
        List<Integer> numbers = new ArrayList<>();
        scope.run(() -> {
            numbers.add(bean.number());
            numbers.add(bean.number());
        });
        scope.run(() -> numbers.add(bean.number()));

        assertThat(numbers).containsExactly(1, 1, 2);
    }

    @Test
    void createsNothingThatIsNotUsed() throws Exception {
        scope.run(() -> {});

        assertThat(CREATED).hasValue(0);
    }

    @Test
    void sharesTheInstanceWithNestedRuns() throws Exception {
        List<Integer> numbers = new ArrayList<>();
        scope.run(() -> {
            numbers.add(bean.number());
            scope.run(() -> numbers.add(bean.number()));
            assertThat(DESTROYED).isEmpty();
            numbers.add(bean.number());
        });

        assertThat(numbers).containsExactly(1, 1, 1);
        assertThat(DESTROYED).containsExactly(1);
    }

    @Test
    void destroysTheInstanceWhenTheMessageIsDone() throws Exception {
        scope.run(() -> {
            assertThat(bean.number()).isEqualTo(1);
            assertThat(DESTROYED).isEmpty();
        });

        assertThat(DESTROYED).containsExactly(1);
    }

    @Test
    void destroysTheInstanceWhenTheMessageFailed() {
        assertThatThrownBy(() -> scope.run(() -> {
                    assertThat(bean.number()).isEqualTo(1);
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);

        assertThat(DESTROYED).containsExactly(1);
        assertThatThrownBy(this::callOutsideOfAMessage).isInstanceOf(BeanCreationException.class);
    }

    @Test
    void doesNotFailTheMessageWhenABeanFailsToEnd() throws Exception {
        FailsToEnd failing = context.getBean(FailsToEnd.class);
        scope.run(() -> {
            assertThat(failing.use()).isEqualTo("used");
            assertThat(bean.number()).isEqualTo(1);
        });

        assertThat(DESTROYED).containsExactly(1);
    }

    @Test
    void saysWhatToDoOutsideOfAMessage() {
        assertThatThrownBy(this::callOutsideOfAMessage)
                .rootCause()
                .hasMessageStartingWith("SB-5003 ")
                .hasMessageContaining("no message is being handled or published on this thread")
                .hasMessageContaining("PerMessage");
    }

    private void callOutsideOfAMessage() {
        assertThat(bean.number()).as("a number, outside of a message").isNotNull();
    }

    @Test
    void isNotSharedWithOtherThreads() throws Exception {
        List<Throwable> failures = new ArrayList<>();
        scope.run(() -> {
            assertThat(bean.number()).isEqualTo(1);
            Thread other = new Thread(() -> {
                try {
                    scope.run(() -> assertThat(bean.number()).isEqualTo(2));
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
            other.start();
            other.join();
            assertThat(bean.number()).isEqualTo(1);
        });

        assertThat(failures).isEmpty();
    }

    @Test
    void canForgetABean() throws Exception {
        scope.run(() -> {
            assertThat(bean.number()).isEqualTo(1);
            Object removed = scope.remove(
                    "scopedTarget." + context.getBeanNamesForType(PerMessage.class)[0].replace("scopedTarget.", ""));
            assertThat(removed).isNotNull();
            assertThat(bean.number()).isEqualTo(2);
        });

        assertThat(DESTROYED).containsExactly(2);
    }
}
