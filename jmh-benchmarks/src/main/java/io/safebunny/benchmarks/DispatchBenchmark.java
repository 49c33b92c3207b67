// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.scanning.HandlerScanner;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Compares ways to call a {@code @BunnyHandler} method with payload and context: SafeBunny's, reflection, and a direct call. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class DispatchBenchmark {

    /** An application's handler. */
    public static final class Invoicing {
        private long sum;

        @BunnyHandler(from = "orders")
        public void on(Ping ping, MessageContext context) {
            sum += ping.number();
        }
    }

    private final Invoicing bean = new Invoicing();
    private final Ping ping = new Ping("order-42", 7, List.of());
    private final MessageContext context = context();
    private final HandlerInvoker invoker = invoker(bean);
    private final Method method = method();

    private static MessageContext context() {
        return (MessageContext) Proxy.newProxyInstance(
                MessageContext.class.getClassLoader(),
                new Class<?>[] {MessageContext.class},
                (proxy, called, values) -> {
                    throw new UnsupportedOperationException("The handler does not look at it");
                });
    }

    private static HandlerInvoker invoker(Object bean) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("invoicing", bean);
        HandlerDefaults defaults = new HandlerDefaults(
                10, new RetrySettings(2, Duration.ofMillis(100), 2, Duration.ofSeconds(1), 0), RetryStrategy.none());
        return new HandlerScanner(beans, defaults).handlers().get(0).invoker();
    }

    private static Method method() {
        try {
            return Invoicing.class.getMethod("on", Ping.class, MessageContext.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    @Benchmark
    public long safeBunny() throws Exception {
        invoker.invoke(ping, context);
        return bean.sum;
    }

    @Benchmark
    public long reflection() throws Exception {
        method.invoke(bean, ping, context);
        return bean.sum;
    }

    @Benchmark
    public long direct() {
        bean.on(ping, context);
        return bean.sum;
    }
}
