// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.message.OrderKey;
import io.safebunny.rabbit.work.LaterRun;
import io.safebunny.transport.IncomingMessage;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A delivery whose message may keep its place, and which tells when it is settled. Never returned to the queue one by one: the broker would
 * deliver it behind those that follow it and are delivered already.
 */
final class OrderedDelivery extends RabbitDelivery {

    private final Object key;
    private final Consumer<OrderedDelivery> settled;

    /** The pause after which it begins. */
    private final Duration after;

    private final AtomicBoolean first = new AtomicBoolean();
    private volatile @Nullable Duration pause;
    /** Set last, when it is known how it is settled. */
    private volatile boolean over;

    /** Whether its handler has not returned; guarded by the lock of the {@link KeyedLine}. */
    private boolean running;
    /** In the order of arrival; guarded by the lock of the {@link KeyedLine}. */
    private long number;

    /** @param settled told after each settlement, perhaps while the handler is still running */
    OrderedDelivery(RabbitDelivery delivery, Consumer<OrderedDelivery> settled) {
        super(delivery, delivery.message());
        OrderKey order = OrderKey.of(delivery.message().message());
        this.key = order == null ? this : order;
        this.settled = settled;
        this.after = Duration.ZERO;
    }

    private OrderedDelivery(OrderedDelivery kept, IncomingMessage message, Duration after) {
        super(kept, message);
        this.key = kept.key;
        this.settled = kept.settled;
        this.after = after;
        this.number = kept.number;
    }

    /** What it shares with the deliveries that wait for it; its own if the message has no readable key. */
    Object key() {
        return key;
    }

    boolean waitsForAll() {
        return OrderKey.waitsForAll(message().message());
    }

    boolean passesKept() {
        return OrderKey.passesKept(message().message());
    }

    /** In the order of arrival, the same for as long as the message keeps its place. */
    long number() {
        return number;
    }

    void setNumber(long arrived) {
        number = arrived;
    }

    /** The pause after which it begins. */
    Duration after() {
        return after;
    }

    /** The delivery that follows if the message keeps its place; {@code null} if it does not. */
    @Nullable
    OrderedDelivery again() {
        Duration wanted = pause;
        IncomingMessage before = message();
        return wanted == null
                ? null
                : new OrderedDelivery(
                        this,
                        new IncomingMessage(
                                before.origin(), true, before.deliveryCount(), before.user(), before.message()),
                        wanted);
    }

    boolean isRunning() {
        return running;
    }

    void setRunning(boolean now) {
        running = now;
    }

    /** Whether it is settled, and told how. */
    boolean isOver() {
        return over;
    }

    @Override
    public void acknowledge() {
        settle(super::acknowledge);
    }

    @Override
    public void handBack() {
        keep(LaterRun.DELAY);
    }

    @Override
    public void keep(Duration wanted) {
        settle(() -> {
            end();
            pause = wanted;
        });
    }

    @Override
    public void reject() {
        settle(super::reject);
    }

    private void settle(Runnable settlement) {
        if (first.compareAndSet(false, true)) {
            settlement.run();
            over = true;
            settled.accept(this);
        }
    }
}
