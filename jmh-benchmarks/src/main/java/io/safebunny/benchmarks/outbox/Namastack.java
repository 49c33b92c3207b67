// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.outbox;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxJacksonAutoConfiguration;
import io.namastack.outbox.config.JdbcOutboxAutoConfiguration;
import io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration;
import io.namastack.outbox.config.OutboxCoreInfrastructureAutoConfiguration;
import io.namastack.outbox.config.OutboxCoreMulticasterAutoConfiguration;
import io.namastack.outbox.config.OutboxCoreProcessingAutoConfiguration;
import io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration;
import io.namastack.outbox.config.OutboxCoreThreadingAutoConfiguration;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.benchmarks.database.BenchDatabase;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Namastack Outbox, with a handler that waits for the broker's confirm. */
final class Namastack implements AutoCloseable {

    static final String TABLE = "outbox_record";

    private static final long CONFIRM_SECONDS = 30;

    private final CachingConnectionFactory connections;
    private final ConfigurableApplicationContext context;

    /**
     * How it is set.
     *
     * @param interval between two polls
     * @param batch rows polled at once
     * @param threads that send, where {@code virtual} is false or the JDK has no virtual ones
     */
    record Settings(String interval, int batch, int threads, boolean virtual) {

        static final Settings MODERATE = new Settings("100ms", 200, 4, false);

        /** Of its own load tests; as many threads as connections. */
        static final Settings LOAD_TEST = new Settings("25ms", 800, 16, true);

        private Map<String, Object> properties() {
            return Map.of(
                    "namastack.outbox.polling.fixed.interval", interval,
                    "namastack.outbox.polling.batch-size", batch,
                    "namastack.outbox.processing.executor-core-pool-size", threads,
                    "namastack.outbox.processing.executor-max-pool-size", threads,
                    "namastack.outbox.processing.delete-completed-records", true,
                    "spring.threads.virtual.enabled", virtual);
        }
    }

    Namastack(BenchBroker broker, BenchDatabase database, Settings settings) {
        connections = broker.spring();
        connections.setPublisherConfirmType(ConfirmType.CORRELATED);
        context = new SpringApplicationBuilder(Configuration.class)
                .web(WebApplicationType.NONE)
                .bannerMode(org.springframework.boot.Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(settings.properties())
                .initializers(application -> {
                    application.getBeanFactory().registerSingleton("dataSource", database.pool());
                    ((GenericApplicationContext) application).registerBean(Sender.class, () -> new Sender(connections));
                })
                .run();
    }

    Outbox outbox() {
        return context.getBean(Outbox.class);
    }

    @Override
    public void close() {
        context.close();
        connections.destroy();
    }

    /** Configures only Namastack Outbox, whatever else is on the class path. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TaskExecutionAutoConfiguration.class,
        TaskSchedulingAutoConfiguration.class,
        JdbcOutboxAutoConfiguration.class,
        JdbcOutboxSchemaAutoConfiguration.class,
        OutboxJacksonAutoConfiguration.class,
        OutboxCoreInfrastructureAutoConfiguration.class,
        OutboxCoreThreadingAutoConfiguration.class,
        OutboxCoreProcessingAutoConfiguration.class,
        OutboxCoreSchedulingAutoConfiguration.class,
        OutboxCoreMulticasterAutoConfiguration.class
    })
    static class Configuration {
        @org.springframework.context.annotation.Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    /** Sends in the same way as the other contenders. */
    static final class Sender implements OutboxTypedHandler<Ping> {
        private final RabbitTemplate template;

        Sender(CachingConnectionFactory connections) {
            template = new RabbitTemplate(connections);
            template.setMandatory(true);
            template.setMessageConverter(new JacksonJsonMessageConverter());
        }

        @Override
        public void handle(Ping payload, OutboxRecordMetadata metadata) {
            CorrelationData correlation = new CorrelationData(metadata.getKey());
            template.convertAndSend(BenchBroker.EXCHANGE, BenchBroker.routingKey("Ping"), payload, correlation);
            try {
                correlation.getFuture().get(CONFIRM_SECONDS, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException("Not confirmed", e);
            }
        }
    }
}
