// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.message.WireMessage;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Pace;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Records the deliveries of a consumption. Thread-safe. */
final class Inbox implements DeliveryHandler {

    private final TransportBench bench;
    private final DeliveryHandler then;
    private final Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> arrivals = new ConcurrentHashMap<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostRunning = new AtomicInteger();
    private volatile @Nullable Consumption consumption;

    Inbox(TransportBench bench, DeliveryHandler then) {
        this.bench = bench;
        this.then = then;
    }

    @Override
    public void handle(Delivery delivery) {
        arrivals.put(id(delivery), System.nanoTime());
        mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
        deliveries.add(delivery);
        try {
            then.handle(delivery);
        } finally {
            running.decrementAndGet();
        }
    }

    void consumes(Consumption started) {
        consumption = started;
    }

    CompletableFuture<Void> stop() {
        return Objects.requireNonNull(consumption, "not consuming").stop();
    }

    void pace(Pace pace) {
        Objects.requireNonNull(consumption, "not consuming").pace(pace);
    }

    /** The deliveries, in the order of arrival. */
    List<Delivery> deliveries() {
        return List.copyOf(deliveries);
    }

    List<IncomingMessage> incoming() {
        return deliveries().stream().map(Delivery::message).toList();
    }

    List<String> ids() {
        return deliveries().stream().map(Inbox::id).toList();
    }

    /** Those that begin with these characters. */
    List<String> idsOf(String key) {
        return ids().stream().filter(id -> id.startsWith(key)).toList();
    }

    /** The only delivery with this id. */
    Delivery delivery(String id) {
        return deliveries().stream()
                .filter(delivery -> id(delivery).equals(id))
                .reduce((one, other) -> {
                    throw new AssertionError("delivered twice: " + id);
                })
                .orElseThrow();
    }

    /** When the last delivery with this id arrived, in nanoseconds of the monotonic clock. */
    long arrivalOf(String id) {
        return Objects.requireNonNull(arrivals.get(id), id);
    }

    int running() {
        return running.get();
    }

    int mostRunning() {
        return mostRunning.get();
    }

    /** Waits until exactly these messages have arrived, in this order. */
    void awaitIds(String... ids) {
        bench.await().untilAsserted(() -> assertThat(ids()).containsExactly(ids));
    }

    /** Waits until exactly these messages have arrived, in any order. */
    void awaitIdsInAnyOrder(String... ids) {
        bench.await().untilAsserted(() -> assertThat(ids()).containsExactlyInAnyOrder(ids));
    }

    IncomingMessage awaitOne() {
        bench.await().untilAsserted(() -> assertThat(ids()).hasSize(1));
        return incoming().get(0);
    }

    static String id(Delivery delivery) {
        WireMessage message = delivery.message().message();
        return String.valueOf(message.messageId());
    }
}
