// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.Bunny;
import io.safebunny.MessageContext;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.store.WorkTable;
import java.util.List;
import java.util.UUID;

/** Handles orders that may share a transaction, or be a batch: a row and two publications each. Thread-safe. */
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
        if (order.kind().isBatch()) {
            invokeBatch(List.of(payload), List.of(context));
        } else {
            handle(order, context, node.bunny());
        }
    }

    @Override
    public void invokeBatch(List<Object> payloads, List<? extends MessageContext> contexts) {
        for (int i = 0; i < payloads.size(); i++) {
            handle((Order) payloads.get(i), contexts.get(i), contexts.get(i).publisher());
        }
    }

    private void handle(Order order, MessageContext context, Bunny bunny) {
        String run = UUID.randomUUID().toString();
        ledger.write(Entry.Kind.HANDLING, order.id(), Integer.toString(context.attempt()));
        work.add(order.id(), run);
        bunny.publish(new Placed(order.id(), run, Placed.FIRST));
        bunny.publish(new Placed(order.id(), run, Placed.SECOND));
        if (order.isPoison(order.id())) {
            throw new IllegalStateException("This order fails");
        }
    }
}
