// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import com.rabbitmq.client.ConnectionFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.database.PostgresServer;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A node of its own on a real broker, with its store in PostgreSQL; and what is to be seen of it from outside. */
final class StoreNode {

    final String name = "shop-" + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = broker(name);
    private final String jdbcUrl;

    /** @param database of the test, who closes it */
    StoreNode(PostgresServer database) {
        this.jdbcUrl = database.jdbcUrl();
    }

    /** A virtual host of its own where that is possible, so that nothing is left behind. */
    private static TestBroker broker(String node) {
        TestBroker shared = TestBroker.shared();
        return shared.isPrivate() ? shared.createVirtualHost(node) : shared;
    }

    /** Without a transaction manager. One retry in memory and one delayed one, soon. */
    ApplicationContextRunner runner() {
        return Nodes.bare()
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withBean(DataSource.class, () -> new DriverManagerDataSource(jdbcUrl))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(
                        "spring.application.name=" + name,
                        "test.node=" + name,
                        "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                        "spring.rabbitmq.username=" + broker.username(),
                        "spring.rabbitmq.password=" + broker.password(),
                        "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                        "safebunny.store.type=jdbc",
                        "safebunny.store.jdbc.initialize-schema=always",
                        "safebunny.retry.max-retries=1",
                        "safebunny.retry.initial-interval=10ms",
                        "safebunny.delayed-retry.delays=50ms");
    }

    PoisonQueue poisonQueue() throws Exception {
        return new PoisonQueue(amqp(), name + "-poison");
    }

    /** For a plain client of the broker. */
    ConnectionFactory amqp() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        URI uri = broker.uri();
        factory.setUri(uri);
        return factory;
    }

    /** In transactions of its own. */
    JdbcTemplate sql() {
        return new JdbcTemplate(new DriverManagerDataSource(jdbcUrl));
    }

    int count(String countQuery, Object... parameters) {
        Integer rows = sql().queryForObject(countQuery, Integer.class, parameters);
        return rows == null ? 0 : rows;
    }

    /** Of all records of the node, as others see them; in no order. */
    List<String> states() {
        return sql().queryForList("select state from safebunny_message where node = ?", String.class, name);
    }
}
