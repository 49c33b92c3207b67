// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.MessageContext;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.store.WorkTable;
import java.util.UUID;

/** Handles orders that may share a transaction: a row and two publications each. Thread-safe. */
public final class MemberHandler implements HandlerInvoker {

    private final Node node;
    private final LedgerClient ledger;
    private final WorkTable work;

    public MemberHandler(Node node, LedgerClient ledger, WorkTable work) {
        this.node = node;
        this.ledger = ledger;
        this.work = work;
    }

    @Override
    public void invoke(Object payload, MessageContext context) {
        Order order = (Order) payload;
        String run = UUID.randomUUID().toString();
        ledger.write(Entry.Kind.HANDLING, order.id(), Integer.toString(context.attempt()));
        work.add(order.id(), run);
        node.bunny().publish(new Placed(order.id(), run, Placed.FIRST));
        node.bunny().publish(new Placed(order.id(), run, Placed.SECOND));
        if (order.isPoison(order.id())) {
            throw new IllegalStateException("This order fails");
        }
    }
}
