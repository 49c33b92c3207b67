// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.breaker.TypeBreaker;
import io.safebunny.consuming.ConsumePipelineFactory;
import io.safebunny.failure.details.Printable;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.order.draining.Lanes;
import io.safebunny.order.sharding.Shards;
import io.safebunny.poison.queue.HeldDeliveries;
import io.safebunny.rate.leasing.RateLimits;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues a node consumes: those of its handlers, its dead letters, and those of its features. Opened and drained by one thread, but for
 * shards that are opened later; {@link #withStandstills} and {@link #blocked} are thread-safe.
 */
final class Consumptions {

    private static final Logger LOG = LoggerFactory.getLogger(Consumptions.class);

    /** Prefetch of the queues that belong to no type: the dead letters, and those of features. */
    private static final int BESIDE_AT_ONCE = 10;

    /** Most messages of a type that are on their way to their shards. */
    private static final int FORWARDED_AT_ONCE = 100;

    /** So that a message that keeps its place does not stop its shard. */
    private static final int LEAST_OF_SHARD = 2;

    private final Node node;
    private final List<NodeFeature> features;
    private final ConsumePipelineFactory pipelines;
    private final Lanes lanes;
    private final Shards shards;
    private final RateLimits rates;
    private final Map<String, Integer> places = new ConcurrentHashMap<>();
    private final List<Consumption> all = new CopyOnWriteArrayList<>();
    private volatile boolean isDraining;

    Consumptions(
            Node node,
            List<NodeFeature> features,
            ConsumePipelineFactory pipelines,
            Lanes lanes,
            Shards shards,
            RateLimits rates) {
        this.lanes = lanes;
        this.shards = shards;
        this.rates = rates;
        this.node = node;
        this.features = features;
        this.pipelines = pipelines;
    }

    void open(Handlers handlers) {
        Set<String> types = handlers.types();
        for (HandlerDefinition handler : handlers.all()) {
            TypeBreaker breaker = node.breakers()
                    .add(
                            handler.type(),
                            handler.payloadType(),
                            node.metrics(),
                            node.details().of(handler.type()).details());
            DeliveryHandler pipeline = pipelines.create(handler, types, breaker);
            lanes.add(handler, pipeline);
            boolean held = features.stream().anyMatch(feature -> feature.holds(handler.type()));
            breaker.paces(
                    shards.divides(handler) ? openDivided(handler, held, pipeline) : open(handler, held, pipeline));
        }
        if (!types.isEmpty()) {
            openBeside(Topology.deadLettersOf(node.name()), pipelines.createForDeadLetters(handlers.all()));
        }
        features.forEach(feature -> feature.queues().forEach(this::openBeside));
    }

    private Consumption open(HandlerDefinition handler, boolean held, DeliveryHandler pipeline) {
        return open(
                handler.queue(node.name()),
                handler.prefetch(),
                held,
                handler.ordering().isOrdered(),
                pipeline);
    }

    /** Opens the queue of a type, from which one instance forwards, and its shards, which have the places of the prefetch between them. */
    private Consumption openDivided(HandlerDefinition handler, boolean held, DeliveryHandler pipeline) {
        Map<String, DeliveryHandler> queues = shards.shards(handler, pipeline);
        int most = Math.max(LEAST_OF_SHARD, (handler.prefetch() + queues.size() - 1) / queues.size());
        List<Consumption> opened = new ArrayList<>();
        queues.forEach((queue, shard) -> opened.add(open(queue, most, held, true, shard)));
        String queue = handler.queue(node.name());
        Together together = new Together(opened);
        DeliveryHandler forwarder =
                shards.forwarder(handler, pipeline, (more, shard) -> together.add(open(more, most, true, true, shard)));
        together.add(open(queue, FORWARDED_AT_ONCE, held, true, forwarder));
        // of which those are that can be neither handled nor forwarded
        places.put(queue, Math.min(FORWARDED_AT_ONCE, handler.prefetch()));
        return together;
    }

    /** Opens a queue that belongs to no type. It is consumed as soon as any type may be consumed. */
    private void openBeside(String queue, DeliveryHandler handler) {
        boolean held = features.stream().anyMatch(NodeFeature::holdsOtherQueues);
        Consumption consumption = open(queue, BESIDE_AT_ONCE, held, false, handler);
        features.forEach(feature -> feature.opened(consumption));
    }

    private Consumption open(String queue, int prefetch, boolean paused, boolean isOrdered, DeliveryHandler handler) {
        places.put(queue, prefetch);
        Transport transport = node.transport();
        Consumption consumption = isOrdered
                ? transport.consumeOrdered(queue, prefetch, paused ? Pace.PAUSED : Pace.FULL, handler)
                : paused
                        ? transport.consumePaused(queue, prefetch, handler)
                        : transport.consume(queue, prefetch, handler);
        all.add(consumption);
        if (isDraining) { // a shard that is opened meanwhile
            CompletableFuture<Void> unused = consumption.stop();
        }
        return consumption;
    }

    /** Returns the status, but as unusable if some queue is {@linkplain #blocked blocked}. */
    TransportStatus withStandstills(TransportStatus status, Map<String, HeldDeliveries.Held> held) {
        String blocked = blocked(held);
        return blocked == null
                ? status
                : new TransportStatus(false, "queue '%s' is blocked: %s".formatted(blocked, held.get(blocked)));
    }

    /**
     * A queue that is blocked, because every place in its prefetch is held by a message whose copy the broker refuses; {@code null} if
     * there is none.
     */
    @Nullable
    String blocked(Map<String, HeldDeliveries.Held> held) {
        return held.entrySet().stream()
                .filter(queue -> queue.getValue().count() >= places.getOrDefault(queue.getKey(), 1))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    /**
     * Takes no new messages, waits for those being handled, and forgets its queues.
     *
     * @return whether nothing is being handled any more
     */
    boolean drain(Duration grace) {
        isDraining = true;
        CompletableFuture<?>[] stopped = Stream.concat(all.stream().map(Consumption::stop), Stream.of(lanes.ended()))
                .toArray(CompletableFuture[]::new);
        all.clear();
        rates.stop();
        try {
            node.timeline().await(CompletableFuture.allOf(stopped), grace);
            return true;
        } catch (TimeoutException e) {
            LOG.warn("Messages are still being handled after {} ms; they will be delivered again", grace.toMillis());
        } catch (ExecutionException e) {
            LOG.warn("A consumption did not stop cleanly; its messages will be delivered again", Printable.inLines(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lanes.close();
        return false;
    }
}
