// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.Published;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/** What is published before the node has started, or after it has stopped, fails at once and says why. */
@Timeout(10)
class PublishTooEarlyTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(1);

    private static ApplicationContextRunner node(String transport) {
        return Nodes.bare()
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withPropertyValues(
                        "safebunny.transport=" + transport,
                        "safebunny.node=shop",
                        "spring.rabbitmq.addresses=127.0.0.1:1") // nobody listens there
                .withBean(FromShop.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "rabbit"})
    void inTheConstructorOfABean(String transport) {
        node(transport).withBean(Hasty.class).run(context -> assertThat(context.getBean(Hasty.class).failure)
                .hasMessageStartingWith("SB-2006")
                .hasMessageContaining("has not started yet")
                .hasMessageContaining("ApplicationReadyEvent"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "rabbit"})
    void afterTheContextWasClosed(String transport) {
        AtomicReference<Bunny> bunny = new AtomicReference<>();
        node(transport).run(context -> bunny.set(context.getBean(Bunny.class)));

        assertThat(failureOf(Objects.requireNonNull(bunny.get())))
                .hasMessageStartingWith("SB-2006")
                .hasMessageContaining("has stopped");
    }

    /** The text of the failure recommends the default phase; that of executors is also the one of other sources of messages. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                SmartLifecycle.DEFAULT_PHASE,
                WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE,
                ExecutorConfigurationSupport.DEFAULT_PHASE
            })
    void whatStartsInTheUsualPhasesIsLateEnoughAndStopsEarlyEnough(int phase) {
        AtomicReference<Lifecycle> bean = new AtomicReference<>();
        node("memory").withBean(Lifecycle.class, () -> new Lifecycle(phase)).run(context -> {
            Lifecycle lifecycle = context.getBean(Lifecycle.class);
            assertThat(lifecycle.isRunning()).isTrue();
            bean.set(lifecycle);
        });

        Lifecycle lifecycle = Objects.requireNonNull(bean.get());
        assertThat(lifecycle.isRunning()).isFalse();
        assertThat(lifecycle.failures).containsOnlyNulls().hasSize(2);
    }

    private static @Nullable Throwable failureOf(Bunny bunny) {
        long start = System.nanoTime();
        try {
            Published unused = bunny.publish(new OrderPlaced("1"));
            return null;
        } catch (RuntimeException e) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(AT_ONCE);
            return e;
        }
    }

    static class Hasty {
        final @Nullable Throwable failure;

        Hasty(Bunny bunny) {
            failure = failureOf(bunny);
        }
    }

    static class Lifecycle implements SmartLifecycle {
        final List<@Nullable Throwable> failures = new ArrayList<>();
        private final int phase;
        private boolean running;

        @Autowired
        private Bunny bunny;

        Lifecycle(int phase) {
            this.phase = phase;
        }

        @Override
        public int getPhase() {
            return phase;
        }

        @Override
        public void start() {
            failures.add(failureOf(bunny));
            running = true;
        }

        @Override
        public void stop() {
            failures.add(failureOf(bunny));
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    static class FromShop {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {
            assertThat(payload).isNotNull();
        }
    }
}
