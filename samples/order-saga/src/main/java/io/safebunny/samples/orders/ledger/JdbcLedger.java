// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import io.safebunny.MessageContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The table {@code ledger} in the application's own database, see {@code schema.sql}, written in the handler's transaction. It
 * never checks whether a row already exists, and no constraint forbids a second one.
 *
 * <p>With the store in the same database ({@code safebunny.store.type=jdbc}) the message's record is part of that transaction
 * too, so the row is written exactly once, whenever the process dies. The ledger has to do nothing for that.
 */
class JdbcLedger implements Ledger {

    private final JdbcClient jdbc;
    private final String node;

    JdbcLedger(JdbcClient jdbc, String node) {
        this.jdbc = jdbc;
        this.node = node;
    }

    /** Requires a transaction, or the row would outlive a failed handler. */
    @Override
    @Transactional(propagation = Propagation.MANDATORY)
    public void record(Effect effect, String orderId, MessageContext cause, long amountCents) {
        jdbc.sql("insert into ledger (node, effect, order_id, message_id, amount_cents) values (?, ?, ?, ?, ?)")
                .params(node, effect.name(), orderId, cause.messageId(), amountCents)
                .update();
    }

    @Override
    @Transactional(propagation = Propagation.MANDATORY)
    public boolean has(Effect effect, String orderId) {
        return has(jdbc, effect, orderId);
    }

    static boolean has(JdbcClient jdbc, Effect effect, String orderId) {
        return jdbc.sql("select count(*) from ledger where order_id = ? and effect = ?")
                        .params(orderId, effect.name())
                        .query(Long.class)
                        .single()
                > 0;
    }
}
