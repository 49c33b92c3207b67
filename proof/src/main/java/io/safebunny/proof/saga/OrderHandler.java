// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.MessageContext;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.point.Faults;
import io.safebunny.proof.point.Operation;
import io.safebunny.proof.point.Point;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.time.Timeline;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Handles orders, and records in the ledger what it did. Thread-safe. */
public final class OrderHandler implements HandlerInvoker {

    private final Node node;
    private final LedgerClient ledger;
    private final Faults faults;
    private final Timeline timeline;
    private final @Nullable WorkTable work;

    /** @param work {@code null} if the handler has no table of its own */
    public OrderHandler(Node node, LedgerClient ledger, Faults faults, Timeline timeline, @Nullable WorkTable work) {
        this.node = node;
        this.ledger = ledger;
        this.faults = faults;
        this.timeline = timeline;
        this.work = work;
    }

    @Override
    public void invoke(Object payload, MessageContext context) throws Exception {
        Order order = (Order) payload;
        String run = UUID.randomUUID().toString();
        ledger.write(Entry.Kind.HANDLING, order.id(), Integer.toString(context.attempt()));
        faults.reached(Point.before(Operation.HANDLE));
        if (work != null) {
            work.add(order.id(), run);
        }
        String charge = context.once("charge", String.class, () -> charge(order));
        if (fails(order, context)) {
            throw new IllegalStateException("This order fails");
        }
        if (order.kind() == OrderKind.SLOW) {
            timeline.sleep(node.lease().multipliedBy(3).dividedBy(4));
        }
        if (order.kind() != OrderKind.SILENT) {
            node.bunny().publish(new Charged(order.id(), charge, run));
            node.bunny().publish(new Shipped(order.id(), run));
        }
        faults.reached(Point.after(Operation.HANDLE));
    }

    private static boolean fails(Order order, MessageContext context) {
        return order.kind() == OrderKind.FAILS_ALWAYS
                || (order.kind() == OrderKind.FAILS_ONCE && context.attempt() == 0);
    }

    private String charge(Order order) {
        String charge = UUID.randomUUID().toString();
        faults.reached(Point.before(Operation.EFFECT));
        ledger.write(Entry.Kind.CHARGED, order.id(), charge);
        faults.reached(Point.after(Operation.EFFECT));
        return charge;
    }
}
