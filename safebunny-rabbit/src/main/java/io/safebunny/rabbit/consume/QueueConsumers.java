// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.InboundBudget;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Pace;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/** The queues that a transport consumes, each with its {@link QueueContainer}; all share one {@link InboundBudget}. Thread-safe. */
public final class QueueConsumers {

    private final ConnectionKeeper.Preparation repair;
    private final Executor workers;
    private final Timeline timeline;
    private final BoundedLog log;
    private final InboundBudget budget;
    private final List<QueueContainer> containers = new CopyOnWriteArrayList<>();

    /**
     * @param inboundBytes total size of delivered message bodies above which queues take one message at a time
     * @param repair declares a queue again if it is missing
     * @param workers runs handlers; must queue or reject tasks, never run them on the caller's thread or block it
     */
    public QueueConsumers(
            long inboundBytes,
            ConnectionKeeper.Preparation repair,
            Executor workers,
            Timeline timeline,
            BoundedLog log) {
        this.repair = repair;
        this.workers = workers;
        this.timeline = timeline;
        this.log = log;
        this.budget = new InboundBudget(inboundBytes, log);
    }

    /**
     * Where deliveries come from.
     *
     * @param factory makes the connection
     * @param connection keeps that connection open; calls {@link QueueConsumers#adjust} on each new one
     * @param customizer of the listener containers of its queues
     */
    public record Source(
            ConnectionFactory factory,
            ConnectionKeeper connection,
            ContainerCustomizer<AbstractMessageListenerContainer> customizer) {}

    /** @param pace to begin with */
    public Consumption consume(ConsumedQueue queue, Pace pace, DeliveryHandler handler, Source source) {
        InboundBudget.Share share = budget.share(queue.name(), queue.prefetch());
        QueueContainer container = new QueueContainer(
                queue,
                share,
                handler,
                source.factory(),
                new ConsumerContext(source.connection()::current, repair, workers, timeline, log));
        container.customizeBy(source.customizer());
        if (pace != Pace.FULL) {
            container.setPace(pace);
        }
        containers.add(container);
        container.start();
        return new Consumption() {
            @Override
            public void pace(Pace wanted) {
                container.setPace(wanted);
            }

            @Override
            public CompletableFuture<Void> stop() {
                containers.remove(container);
                share.leave();
                return container.drainAndStop();
            }
        };
    }

    /** Call on every new connection. */
    public void adjust() {
        containers.forEach(QueueContainer::adjustSoon);
    }

    /** A queue that should be consumed but is not; {@code null} if there is none. */
    public @Nullable String idleQueue() {
        return containers.stream()
                .filter(container -> !container.isConsuming())
                .map(QueueContainer::queue)
                .findFirst()
                .orElse(null);
    }

    /** Whether the queue is consumed as it should be. Also true while nothing should be consumed: paused, or stopping. */
    public boolean isConsuming(String queue) {
        return containers.stream()
                .filter(container -> container.queue().equals(queue))
                .allMatch(QueueContainer::isConsuming);
    }
}
