// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The table {@code ledger}, see {@code schema.sql}. It never looks whether a row is there already, and nothing forbids
 * two.
 */
class JdbcLedger implements Ledger {

    private final JdbcClient jdbc;
    private final String node;

    JdbcLedger(JdbcClient jdbc, String node) {
        this.jdbc = jdbc;
        this.node = node;
    }

    @Override
    @Transactional(propagation = Propagation.MANDATORY)
    public void record(Effect effect, String orderId, String messageId, long amountCents) {
        jdbc.sql("insert into ledger (node, effect, order_id, message_id, amount_cents) values (?, ?, ?, ?, ?)")
                .params(node, effect.name(), orderId, messageId, amountCents)
                .update();
    }
}
