// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.store.WorkTable;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles orders of one key one after the other: a row, where there is a table, and two publications each. The first one fails at first, so that
 * the others wait in the store; one that holds them fails until somebody decides on it. Thread-safe.
 */
public final class LaneHandler implements HandlerInvoker {

    /** Long enough for all others to arrive, on a busy machine, too. */
    private static final Duration DELAY = Duration.ofSeconds(2);

    private static final int PREFETCH = 2;

    private final Node node;
    private final LedgerClient ledger;
    private final @Nullable WorkTable work;
    private final BooleanSupplier isDecided;

    /**
     * @param work {@code null} if the handler has no table of its own
     * @param isDecided whether somebody has decided on what holds the others
     */
    public LaneHandler(Node node, LedgerClient ledger, @Nullable WorkTable work, BooleanSupplier isDecided) {
        this.node = node;
        this.ledger = ledger;
        this.work = work;
        this.isDecided = isDecided;
    }

    /** @param sharding {@code null} for no shards */
    public HandlerDefinition definition(String from, OrderKind kind, @Nullable Sharding sharding) {
        return new HandlerDefinition(
                        "crash test",
                        Order.class.getSimpleName(),
                        Order.class,
                        List.of(from),
                        PREFETCH,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(1, DELAY)),
                        this)
                .ordered(kind.isHeld() ? Ordering.HOLD : Ordering.SKIP)
                .sharded(sharding);
    }

    @Override
    public void invoke(Object payload, MessageContext context) {
        Order order = (Order) payload;
        String run = UUID.randomUUID().toString();
        ledger.write(Entry.Kind.HANDLING, order.id(), Integer.toString(context.attempt()));
        if (work != null) {
            work.add(order.id(), run);
        }
        node.bunny().publish(new Placed(order.id(), run, Placed.FIRST));
        node.bunny().publish(new Placed(order.id(), run, Placed.SECOND));
        if (order.kind() == OrderKind.IN_ORDER_DISCARDED && order.isFirst()) {
            throw new PoisonMessageException("This order is poison");
        }
        if (order.isPoison(order.id()) || (order.isFirst() && fails(order, context))) {
            throw new IllegalStateException("This order fails");
        }
    }

    private boolean fails(Order first, MessageContext context) {
        return first.kind().isHeld() ? !isDecided.getAsBoolean() : context.attempt() == 0;
    }
}
