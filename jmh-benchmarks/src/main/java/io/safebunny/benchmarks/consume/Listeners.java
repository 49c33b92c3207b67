// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker.PingHandler;
import io.safebunny.benchmarks.broker.Ping;
import java.util.function.Consumer;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskExecutor;

/** The usual code without SafeBunny: {@code @RabbitListener} with JSON. */
final class Listeners implements AutoCloseable {

    private final CachingConnectionFactory connections;
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    /**
     * @param consumers number of channels, each with a thread
     * @param prefetch prefetch of each channel
     * @param beans registers the listener, what it needs, and the executor of the threads if they are not the usual ones
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
            context.getBeanProvider(TaskExecutor.class).ifAvailable(factory::setTaskExecutor);
            return factory;
        });
        context.register(ListenerConfiguration.class);
        beans.accept(context);
        context.refresh();
    }

    /** Registers a listener that reads each message and calls the handler. */
    static Consumer<AnnotationConfigApplicationContext> calling(PingHandler handler) {
        return context -> context.registerBean("listener", CallingListener.class, () -> new CallingListener(handler));
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

    /** Passes each message on. */
    static final class CallingListener {
        private final PingHandler handler;

        CallingListener(PingHandler handler) {
            this.handler = handler;
        }

        @RabbitListener(queues = "${bench.queue}")
        public void on(Ping ping) {
            handler.handle(ping);
        }
    }
}
