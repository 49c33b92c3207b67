// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.wanted;

import io.safebunny.message.WireMessage;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A browsed queue of which some messages are taken ahead, if another node has to be asked for the next one: so it is asked for many at once.
 * Confined to one thread.
 */
public final class Lookahead implements BrowsedQueue {

    private final BrowsedQueue queue;
    private final AskedFates fates;
    private final Predicate<WireMessage> matters;
    private final int most;
    private final Deque<Delivery> ahead = new ArrayDeque<>();

    /**
     * @param matters whether the fate of a copy is of interest
     * @param most number of messages that are taken at once
     */
    public Lookahead(BrowsedQueue queue, AskedFates fates, Predicate<WireMessage> matters, int most) {
        this.queue = queue;
        this.fates = fates;
        this.matters = matters;
        this.most = Math.max(1, Math.min(StepFates.MOST, most));
    }

    @Override
    public long waiting() {
        return ahead.size() + queue.waiting();
    }

    /** How many messages are taken that {@link #next} has not given yet. */
    public int ahead() {
        return ahead.size();
    }

    @Override
    public @Nullable Delivery next() {
        Delivery next = ahead.poll();
        if (next != null) {
            return next;
        }
        Delivery first = queue.next();
        if (first != null && isToBeAsked(first)) {
            ask(first);
        }
        return first;
    }

    private void ask(Delivery first) {
        List<Delivery> all = new ArrayList<>(List.of(first));
        Delivery next = null;
        while (all.size() < most && (next = queue.next()) != null) {
            all.add(next);
            ahead.add(next);
        }
        fates.prepare(all.stream()
                .filter(this::isToBeAsked)
                .map(delivery -> delivery.message().message())
                .toList());
    }

    private boolean isToBeAsked(Delivery delivery) {
        WireMessage copy = delivery.message().message();
        return matters.test(copy) && fates.isToBeAsked(copy);
    }

    @Override
    public void close() {
        queue.close();
    }
}
