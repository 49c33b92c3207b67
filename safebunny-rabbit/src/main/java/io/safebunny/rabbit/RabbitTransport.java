// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.failure.ExceptionDetails;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.connection.BrokerVersion;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.consume.QueueConsumers;
import io.safebunny.rabbit.consume.RabbitBrowsing;
import io.safebunny.rabbit.delay.DelayChoice;
import io.safebunny.rabbit.publish.PublisherPool;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.rabbit.topology.Rights;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/** {@link Transport} on RabbitMQ 3.10 to 4.3: one connection to publish, one to consume, and one for dead letters. Thread-safe. */
public final class RabbitTransport implements Transport {

    private final Timeline timeline;
    private final BoundedLog log;
    private final ConnectionFactory consumeFactory;
    private final DeclaredTopology declared;
    private final ConnectionKeeper publishing;
    private final ConnectionKeeper consuming;
    private final ConnectionKeeper deadLetters;
    /** The connection is opened with their first consumer. */
    private final AtomicBoolean deadLettersStarted = new AtomicBoolean();

    private final PublisherPool publishers;
    private final RabbitSender sender;
    private final QueueConsumers consumers;
    private final RabbitControl control;
    private final QueueConsumers.Source ofHandlers;
    private final QueueConsumers.Source ofDeadLetters;

    /** Without a customizer. */
    public RabbitTransport(
            RabbitTransportOptions options,
            ConnectionFactory publishFactory,
            ConnectionFactory consumeFactory,
            ConnectionFactory deadLetterFactory,
            Executor workers,
            Timeline timeline) {
        this(options, publishFactory, consumeFactory, deadLetterFactory, workers, timeline, container -> {});
    }

    /**
     * @param publishFactory makes the connection that publishes; none of the factories is shared with others
     * @param consumeFactory makes the connection that consumes
     * @param deadLetterFactory makes the connection that consumes the dead letters, so that nothing among them reaches the others
     * @param workers handles deliveries, as many at once as all prefetches together; must not run a task on the caller's thread, nor
     *     wait for a free one: it queues the task or refuses
     * @param customizer of the containers of handlers' queues: may set their advice chain, which then runs around the handling
     */
    public RabbitTransport(
            RabbitTransportOptions options,
            ConnectionFactory publishFactory,
            ConnectionFactory consumeFactory,
            ConnectionFactory deadLetterFactory,
            Executor workers,
            Timeline timeline,
            ContainerCustomizer<AbstractMessageListenerContainer> customizer) {
        this.consumeFactory = consumeFactory;
        this.timeline = timeline;
        this.log = new BoundedLog(timeline, ExceptionDetails.FULL); // the broker's words, never a message's
        this.declared = new DeclaredTopology(new DelayChoice(options.delayStrategy()));
        this.consumers = new QueueConsumers(options.inboundBytes(), declared::declare, workers, timeline, log);
        // publications may come before the other connection is back, and find no exchange and no queue
        this.publishing =
                new ConnectionKeeper("publish", publishFactory, timeline, declared::declareForPublishing, () -> {});
        this.consuming =
                new ConnectionKeeper("consume", consumeFactory, timeline, declared::declare, this::isConsuming);
        this.deadLetters =
                new ConnectionKeeper("dead-letters", deadLetterFactory, timeline, declared::declare, consumers::adjust);
        this.ofHandlers = new QueueConsumers.Source(consumeFactory, consuming, customizer);
        this.ofDeadLetters =
                new QueueConsumers.Source(deadLetterFactory, deadLetters, container -> {}); // nothing is handled there
        this.publishers =
                new PublisherPool(publishing, declared::declareForPublishing, timeline, options.maxConcurrency());
        Supplier<@Nullable String> user = options.tellsUser() ? publishFactory::getUsername : () -> null;
        this.sender = new RabbitSender(publishers, publishing, declared, user);
        this.control = new RabbitControl(publishers, consuming::current, declared, user, workers, timeline);
    }

    private void isConsuming() {
        consumers.adjust();
        control.connected();
    }

    @Override
    public void start(Topology planned) {
        declared.plan(planned);
        declared.probe(consumeFactory);
        consuming.start(planned.node());
        publishing.start(planned.node());
        BrokerVersion.check(consuming.current());
        Rights.requirePublishing(consuming.current(), planned, declared.delay());
        publishers.start();
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return consume(queue, prefetch, Pace.FULL, handler);
    }

    /** Whether the user may read the queue shows when it is consumed. */
    @Override
    public Consumption consumePaused(String queue, int prefetch, DeliveryHandler handler) {
        return consume(queue, prefetch, Pace.PAUSED, handler);
    }

    private Consumption consume(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        Topology planned = declared.require();
        boolean own = queue.equals(Topology.deadLettersOf(planned.node()));
        if (own && deadLettersStarted.compareAndSet(false, true)) {
            deadLetters.start(planned.node());
        }
        QueueConsumers.Source source = own ? ofDeadLetters : ofHandlers;
        Consumption consumption = consumers.consume(queue, prefetch, pace, handler, source, planned.options());
        if (!consumers.isConsuming(queue)) {
            Rights.requireConsuming(source.connection().current(), planned, queue);
        }
        return consumption;
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return sender.send(message, deadline);
    }

    @Override
    public ControlChannel control(String node, Consumer<byte[]> heard) {
        control.listen(heard);
        return control;
    }

    @Override
    public BrowsedQueue browse(String queue) {
        return RabbitBrowsing.open(consuming.current(), queue, timeline);
    }

    @Override
    public TransportStatus status() {
        String problem = consuming.problem();
        if (problem == null) {
            problem = publishing.problem();
        }
        if (problem == null && deadLettersStarted.get()) {
            problem = deadLetters.problem();
        }
        String idle = consumers.idleQueue();
        if (problem == null && idle != null) {
            problem = "queue '" + idle + "' is not consumed";
        }
        return problem == null
                ? new TransportStatus(true, "connected to RabbitMQ")
                : new TransportStatus(false, problem);
    }

    @Override
    public OptionalLong depth(String queue) {
        return OptionalLong.of(RabbitBrowsing.depth(consuming.current(), queue, timeline));
    }

    /** Deliveries first: a handler whose publication fails for this must find its own delivery closed. */
    @Override
    public void close() {
        control.close();
        consuming.close();
        deadLetters.close();
        publishers.close();
        publishing.close();
        log.close();
    }
}
