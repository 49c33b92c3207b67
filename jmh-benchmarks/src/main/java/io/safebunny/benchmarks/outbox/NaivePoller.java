// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.outbox;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.database.BenchDatabase;
import io.safebunny.store.record.RecordJson;
import io.safebunny.transport.OutboundMessage;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Objects;

/** The outbox that most people write first: selects, sends, confirms and deletes one row at a time. */
final class NaivePoller implements AutoCloseable {

    private static final long CONFIRM_MILLIS = 30_000;

    private final BenchDatabase database;
    private final Connection broker;
    private final Channel channel;

    NaivePoller(BenchBroker broker, BenchDatabase database) throws Exception {
        this.database = database;
        this.broker = broker.connect();
        this.channel = this.broker.createChannel();
        channel.confirmSelect();
    }

    /** Runs until the table is empty. */
    void drain() throws Exception {
        try (java.sql.Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(false);
            while (sendOne(connection)) {
                connection.commit();
            }
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private boolean sendOne(java.sql.Connection connection) throws Exception {
        try (PreparedStatement select = connection.prepareStatement(
                        "select id, message from safebunny_outbox where due_at <= now() order by id limit 1 for update");
                ResultSet rows = select.executeQuery()) {
            if (!rows.next()) {
                return false;
            }
            OutboundMessage message = RecordJson.readOutgoing(rows.getString(2)).get(0);
            channel.basicPublish(
                    BenchBroker.EXCHANGE,
                    BenchBroker.routingKey("Ping"),
                    true,
                    BenchBroker.properties(
                            Objects.requireNonNull(message.message().messageId())),
                    message.message().body());
            channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
            try (PreparedStatement delete = connection.prepareStatement("delete from safebunny_outbox where id = ?")) {
                delete.setLong(1, rows.getLong(1));
                return delete.executeUpdate() == 1;
            }
        }
    }

    @Override
    public void close() {
        broker.abort();
    }
}
