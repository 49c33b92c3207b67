// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import java.lang.reflect.Method;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ThreadsTest {

    @Test
    void areNamedDaemons() {
        handledIn(Nodes.memory(), thread -> {
            assertThat(thread.getName()).matches("safebunny-\\d+");
            assertThat(thread.isDaemon()).isTrue();
        });
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void areVirtualWhenTheApplicationsAre() {
        handledIn(Nodes.memory().withPropertyValues("spring.threads.virtual.enabled=true"), thread -> {
            assertThat(thread.getName()).matches("safebunny-\\d+");
            assertThat(isVirtual(thread)).isTrue();
        });
    }

    @Test
    void leaveBootsTaskExecutorAlone() {
        Nodes.memory()
                .withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .run(context -> assertThat(context).hasBean("applicationTaskExecutor"));
    }

    private static void handledIn(ApplicationContextRunner runner, Consumer<Thread> check) {
        runner.withBean(Handler.class).run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));
            check.accept(context.getBean(Handler.class).threads.next());
        });
    }

    private static boolean isVirtual(Thread thread) {
        try {
            Method method = Thread.class.getMethod("isVirtual");
            return (boolean) method.invoke(thread);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    static class Handler {
        final Received<Thread> threads = new Received<>();

        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {
            threads.add(Thread.currentThread());
        }
    }
}
