// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The server side of {@link RemoteLedger}, which in reality would be another company's service, with its own connections and
 * transactions. Like any service worth paying for, it accepts an idempotency key: a repeated call with the same key is counted in
 * the table {@code idempotency_key} but not executed. Thread-safe.
 */
class LedgerService implements AutoCloseable {

    private static final int CONNECTIONS = 8;

    /** What to record. */
    record Posting(String node, Effect effect, String orderId, long amountCents) {}

    private final HikariDataSource connections;
    private final JdbcClient jdbc;
    private final TransactionTemplate transactions;

    LedgerService(String url, String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("ledger-service");
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        connections = new HikariDataSource(config);
        jdbc = JdbcClient.create(connections);
        transactions = new TransactionTemplate(new JdbcTransactionManager(connections));
    }

    void post(Posting posting, String idempotencyKey) {
        String key = posting.effect() + " " + idempotencyKey;
        try {
            transactions.executeWithoutResult(transaction -> {
                jdbc.sql("insert into idempotency_key (id, order_id, repeats) values (?, ?, 0)")
                        .params(key, posting.orderId())
                        .update();
                jdbc.sql("insert into ledger (node, effect, order_id, message_id, amount_cents) values (?, ?, ?, ?, ?)")
                        .params(
                                posting.node(),
                                posting.effect().name(),
                                posting.orderId(),
                                idempotencyKey,
                                posting.amountCents())
                        .update();
            });
        } catch (DuplicateKeyException itIsDone) {
            jdbc.sql("update idempotency_key set repeats = repeats + 1 where id = ?")
                    .param(key)
                    .update();
        }
    }

    boolean has(Effect effect, String orderId) {
        return JdbcLedger.has(jdbc, effect, orderId);
    }

    @Override
    public void close() {
        connections.close();
    }
}
