// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.Ping;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/**
 * Exactly once as most people write it: in one transaction, the listener inserts the id of the message and, if it was new, does its
 * work. The container acknowledges after the commit.
 */
class Inbox {

    static final String TABLE = "inbox";

    private final JdbcTemplate sql;
    private final Consumer<String> work;
    private final Meter meter;

    /** @param work is given the id of each message that was not there before, in the transaction */
    Inbox(JdbcTemplate sql, Consumer<String> work, Meter meter) {
        this.sql = sql;
        this.work = work;
        this.meter = meter;
    }

    static void createTable(JdbcTemplate sql) {
        sql.execute("create table %s (message_id varchar(100) primary key, at timestamptz not null default now())"
                .formatted(TABLE));
    }

    /** Registers the listener with its transactions. */
    static Consumer<AnnotationConfigApplicationContext> listener(DataSource pool, Consumer<String> work, Meter meter) {
        return context -> {
            context.registerBean(
                    "transactionManager", JdbcTransactionManager.class, () -> new JdbcTransactionManager(pool));
            context.registerBean("listener", Inbox.class, () -> new Inbox(new JdbcTemplate(pool), work, meter));
            context.register(Transactions.class);
        };
    }

    @RabbitListener(queues = "${bench.queue}")
    @Transactional
    public void on(Ping ping, @Header(AmqpHeaders.MESSAGE_ID) String id) {
        Consumers.check(ping);
        if (sql.update("insert into inbox (message_id) values (?) on conflict do nothing", id) == 1) {
            work.accept(id);
        }
        meter.count();
    }

    /** Enables the annotation. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Transactions {}
}
