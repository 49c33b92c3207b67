// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.Ping;
import java.util.function.Consumer;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The usual code without SafeBunny: {@code @RabbitListener} with JSON. */
final class Listeners implements AutoCloseable {

    private final CachingConnectionFactory connections;
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    /**
     * @param consumers number of channels, each with a thread
     * @param prefetch prefetch of each channel
     * @param beans registers the listener, and what it needs
     */
    Listeners(
            CachingConnectionFactory connections,
            String queue,
            int consumers,
            int prefetch,
            Consumer<AnnotationConfigApplicationContext> beans) {
        this.connections = connections;
        context.getEnvironment().getSystemProperties().put("bench.queue", queue);
        context.registerBean("rabbitListenerContainerFactory", SimpleRabbitListenerContainerFactory.class, () -> {
            SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
            factory.setConnectionFactory(connections);
            factory.setConcurrentConsumers(consumers);
            factory.setPrefetchCount(prefetch);
            factory.setMessageConverter(new JacksonJsonMessageConverter());
            return factory;
        });
        context.register(ListenerConfiguration.class);
        beans.accept(context);
        context.refresh();
    }

    /** Registers a listener that does nothing. */
    static Consumer<AnnotationConfigApplicationContext> idle(Meter meter) {
        return context -> context.registerBean("listener", IdleListener.class, () -> new IdleListener(meter));
    }

    @Override
    public void close() {
        context.close();
        connections.destroy();
    }

    /** Enables the annotation. */
    @Configuration(proxyBeanMethods = false)
    @EnableRabbit
    static class ListenerConfiguration {}

    /** Its handler does nothing. */
    static final class IdleListener {
        private final Meter meter;

        IdleListener(Meter meter) {
            this.meter = meter;
        }

        @RabbitListener(queues = "${bench.queue}")
        public void on(Ping ping) {
            Consumers.check(ping);
            meter.count();
        }
    }
}
