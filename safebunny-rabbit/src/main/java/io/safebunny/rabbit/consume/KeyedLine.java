// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.rabbit.work.InboundBudget;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a queue by key, in the order of arrival. Of each key one is handled at a time: the next one may begin when the one before
 * is settled and its handler has returned. While the first one is kept, those that pass it may begin. One that waits for all begins when there
 * is nothing before it any more, and holds nobody. Holds the deliveries of one channel, and those of channels before whose handlers are still
 * running. Also remembers whether a worker is being started. Thread-safe.
 */
final class KeyedLine {

    private static final Comparator<OrderedDelivery> BY_ARRIVAL = Comparator.comparingLong(OrderedDelivery::number);

    private final InboundBudget.Share share;

    private final Object lock = new Object();
    // guarded by the lock
    private final Map<Object, Place> places = new HashMap<>();
    /** Those of which a delivery may begin, in the order in which they came to it. */
    private final Set<Place> ready = new LinkedHashSet<>();
    /** Those that wait for all, in the order of arrival. */
    private final Deque<Place> last = new ArrayDeque<>();
    /** The numbers of all deliveries held, in the order of arrival. */
    private final TreeSet<Long> held = new TreeSet<>();

    private long arrived;
    private @Nullable ConsumerSession session;
    private int limit;
    /** How many deliveries have begun and are unsettled, or still being handled. */
    private int begun;

    private int running;
    private boolean starting;

    /** The deliveries of one key. */
    private static final class Place {

        private final Object key;
        private final NavigableSet<OrderedDelivery> waiting = new TreeSet<>(BY_ARRIVAL);
        /** Those that wait for the end of their pause. */
        private final NavigableSet<OrderedDelivery> kept = new TreeSet<>(BY_ARRIVAL);

        private @Nullable OrderedDelivery begun;

        Place(Object key) {
            this.key = key;
        }

        /** The one that may begin. */
        @Nullable
        OrderedDelivery next() {
            if (begun != null || waiting.isEmpty()) {
                return null;
            }
            if (kept.isEmpty() || waiting.first().number() < kept.first().number()) {
                return waiting.first();
            }
            for (OrderedDelivery each : waiting) {
                if (each.passesKept()) {
                    return each;
                }
            }
            return null;
        }

        boolean isEmpty() {
            return begun == null && waiting.isEmpty() && kept.isEmpty();
        }
    }

    /** @param share told of the size of what is in the line */
    KeyedLine(InboundBudget.Share share) {
        this.share = share;
    }

    /** Call before the first delivery of a channel, when the one before is {@linkplain #clear cleared}. */
    void open(ConsumerSession fresh) {
        synchronized (lock) {
            session = fresh;
        }
    }

    /** Forgets the deliveries of the channel, which is closed: the broker has them. Their keys wait for handlers that are still running. */
    void clear() {
        synchronized (lock) {
            session = null;
            ready.clear();
            last.clear();
            for (Place place : List.copyOf(places.values())) {
                place.waiting.forEach(this::forget);
                place.waiting.clear();
                place.kept.forEach(this::forget);
                place.kept.clear();
                if (place.begun != null && !place.begun.isRunning()) {
                    end(place, place.begun);
                } else if (place.begun == null) {
                    places.remove(place.key);
                }
            }
        }
    }

    /** Does nothing if the channel is closed. */
    void add(OrderedDelivery delivery) {
        synchronized (lock) {
            if (!delivery.session().equals(session)) {
                return;
            }
            share.took(delivery.size());
            delivery.setNumber(++arrived);
            held.add(arrived);
            Place place = places.computeIfAbsent(delivery.key(), Place::new);
            place.waiting.add(delivery);
            if (delivery.waitsForAll()) {
                last.add(place);
                releaseLast();
            } else {
                offer(place);
            }
        }
    }

    private void offer(Place place) {
        if (place.next() != null) {
            ready.add(place);
        }
    }

    /** Only the first one can have nothing before it. */
    private void releaseLast() {
        Place first = last.peek();
        if (first != null && first.waiting.first().number() == held.first()) {
            ready.add(last.remove());
        }
    }

    private void forget(OrderedDelivery delivery) {
        share.gave(delivery.size());
        held.remove(delivery.number());
    }

    /** @param most how many may be handled at once from now on */
    void limit(int most) {
        synchronized (lock) {
            limit = most;
        }
    }

    /**
     * From now on nothing begins.
     *
     * @return whether nothing is being handled
     */
    boolean hold() {
        synchronized (lock) {
            limit = 0;
            return running == 0;
        }
    }

    /** How many may be handled at once. */
    int limit() {
        synchronized (lock) {
            return limit;
        }
    }

    /** Whether nothing is being handled. */
    boolean isIdle() {
        synchronized (lock) {
            return running == 0;
        }
    }

    /** @return whether the caller must start a worker, and call {@link #endStart} when it has begun or could not be started */
    boolean claimStart() {
        synchronized (lock) {
            if (starting || !nextMayBegin()) {
                return false;
            }
            starting = true;
            return true;
        }
    }

    void endStart() {
        synchronized (lock) {
            starting = false;
        }
    }

    private boolean nextMayBegin() {
        return !ready.isEmpty() && begun < limit && session != null && !session.isCut();
    }

    /** Takes the next delivery; call {@link #returned} when its handler has returned. */
    @Nullable
    OrderedDelivery take() {
        synchronized (lock) {
            if (!nextMayBegin()) {
                return null;
            }
            Place place = ready.iterator().next();
            ready.remove(place);
            OrderedDelivery next = Objects.requireNonNull(place.next());
            place.waiting.remove(next);
            place.begun = next;
            next.setRunning(true);
            begun++;
            running++;
            return next;
        }
    }

    /**
     * Call when the handler has returned.
     *
     * @return the delivery to {@link #resume} after its pause, if the message keeps its place
     */
    @Nullable
    OrderedDelivery returned(OrderedDelivery delivery) {
        synchronized (lock) {
            delivery.setRunning(false);
            running--;
            return endIfOver(delivery);
        }
    }

    /**
     * Call when the delivery is settled.
     *
     * @return the delivery to {@link #resume} after its pause, if the message keeps its place
     */
    @Nullable
    OrderedDelivery settled(OrderedDelivery delivery) {
        synchronized (lock) {
            return endIfOver(delivery);
        }
    }

    private @Nullable OrderedDelivery endIfOver(OrderedDelivery delivery) {
        Place place = places.get(delivery.key());
        boolean isOver = !delivery.isRunning()
                && (delivery.isOver() || !delivery.session().equals(session));
        if (!isOver || place == null || !delivery.equals(place.begun)) {
            return null;
        }
        OrderedDelivery again = delivery.session().equals(session) ? delivery.again() : null;
        if (again == null) {
            end(place, delivery);
            return null;
        }
        place.begun = null;
        begun--;
        place.kept.add(again);
        offer(place);
        return again;
    }

    private void end(Place place, OrderedDelivery delivery) {
        forget(delivery);
        place.begun = null;
        begun--;
        if (place.isEmpty()) {
            places.remove(place.key);
        } else {
            offer(place);
        }
        releaseLast();
    }

    /** The pause of a kept delivery is over. Does nothing if its channel is closed. */
    void resume(OrderedDelivery kept) {
        synchronized (lock) {
            Place place = places.get(kept.key());
            if (place != null && place.kept.remove(kept)) {
                place.waiting.add(kept);
                offer(place);
            }
        }
    }
}
