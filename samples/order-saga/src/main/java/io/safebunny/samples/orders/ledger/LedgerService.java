// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The other side of {@link RemoteLedger}, which would be a service of another company: with connections and transactions of its
 * own, and like any service worth paying for it takes an idempotency key. What comes again under the same key is counted in
 * the table {@code idempotency_key} and not done again. Thread-safe.
 */
class LedgerService implements AutoCloseable {

    private static final int CONNECTIONS = 8;

    /** What is to be written down. */
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

    @Override
    public void close() {
        connections.close();
    }
}
