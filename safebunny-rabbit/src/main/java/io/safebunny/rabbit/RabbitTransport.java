// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.connection.BrokerVersion;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.connection.ReaderExecutor;
import io.safebunny.rabbit.consume.ConsumedQueue;
import io.safebunny.rabbit.consume.QueueConsumers;
import io.safebunny.rabbit.consume.RabbitBrowsing;
import io.safebunny.rabbit.publish.PublisherPool;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.rabbit.topology.DelayChoice;
import io.safebunny.rabbit.topology.Rights;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.util.Map;
import java.util.OptionalInt;
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

/**
 * {@link Transport} on RabbitMQ 3.10 to 4.3, with one connection each for publishing, consuming and consuming dead letters. Thread-safe.
 */
public final class RabbitTransport implements Transport {

    private final Timeline timeline;
    private final BoundedLog log;
    private final ConnectionFactory consumeFactory;
    private final DeclaredTopology declared;
    private final ConnectionKeeper publishing;
    private final ConnectionKeeper consuming;
    private final ConnectionKeeper deadLetters;
    /** Whether dead letters are consumed. Their connection is opened only then. */
    private final AtomicBoolean deadLettersStarted = new AtomicBoolean();

    private final PublisherPool publishers;
    private final RabbitSender sender;
    private final QueueConsumers consumers;
    private final RabbitControl control;
    private final QueueConsumers.Source ofHandlers;
    private final QueueConsumers.Source ofDeadLetters;

    /** Creates a transport without a customizer. */
    public RabbitTransport(
            RabbitTransportOptions options, BrokerConnections connections, Executor workers, Timeline timeline) {
        this(options, connections, workers, timeline, container -> {});
    }

    /**
     * @param workers runs handlers, up to the sum of all prefetches at once; must queue or reject tasks, never run them on the caller's
     *     thread or block it
     * @param customizer changes the listener containers of handlers' queues; may set an advice chain that runs around the handling
     */
    public RabbitTransport(
            RabbitTransportOptions options,
            BrokerConnections connections,
            Executor workers,
            Timeline timeline,
            ContainerCustomizer<AbstractMessageListenerContainer> customizer) {
        ReaderExecutor.install(connections.consume());
        ReaderExecutor.install(connections.deadLetters());
        this.consumeFactory = connections.consume();
        this.timeline = timeline;
        // full details, because these texts quote the broker, never a message
        this.log = new BoundedLog(timeline, ExceptionDetails.FULL);
        this.declared = new DeclaredTopology(new DelayChoice(options.delayStrategy()));
        this.consumers = new QueueConsumers(options.inboundBytes(), declared::declareMissing, workers, timeline, log);
        // each connection declares what it needs, because either may be the first to reconnect
        this.publishing =
                new ConnectionKeeper("publish", connections.publish(), timeline, declared::declareForPublishing);
        this.consuming = new ConnectionKeeper("consume", connections.consume(), timeline, declared::declare);
        this.deadLetters = new ConnectionKeeper("dead-letters", connections.deadLetters(), timeline, declared::declare);
        this.ofHandlers = new QueueConsumers.Source(connections.consume(), consuming, customizer);
        this.ofDeadLetters =
                // no handler runs for dead letters, so there is nothing to customize
                new QueueConsumers.Source(connections.deadLetters(), deadLetters, container -> {});
        this.publishers =
                new PublisherPool(publishing, declared::declareForPublishing, timeline, options.maxConcurrency());
        Supplier<@Nullable String> user = options.tellsUser() ? connections.publish()::getUsername : () -> null;
        this.sender = new RabbitSender(publishers, publishing, declared, user);
        this.control = new RabbitControl(sender, consuming::current, declared, workers, timeline);
        consuming.whenOpened(() -> {
            consumers.adjust();
            control.connected();
        });
        deadLetters.whenOpened(consumers::adjust);
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

    /** A missing read permission is reported when the consumer resumes. */
    @Override
    public Consumption consumePaused(String queue, int prefetch, DeliveryHandler handler) {
        return consume(queue, prefetch, Pace.PAUSED, handler);
    }

    @Override
    public Consumption consumeOrdered(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        Topology planned = declared.require();
        if (!isInOrder(planned, queue)) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Queue '%s' cannot be consumed in order: the topology has no such queue with %s=true. Declare it so."
                            .formatted(queue, Topology.SINGLE_ACTIVE_CONSUMER));
        }
        return consume(
                ConsumedQueue.of(queue, prefetch, planned.options()).ordered(), pace, handler, ofHandlers, planned);
    }

    /** Also a shard of one of its types that only an instance of another version has declared. */
    private static boolean isInOrder(Topology planned, String queue) {
        String type = Topology.forwardedFrom(queue);
        return planned.queues().stream()
                .anyMatch(each -> each.hasSingleActiveConsumer()
                        && (each.name().equals(queue) || each.name().equals(type)));
    }

    private Consumption consume(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        Topology planned = declared.require();
        boolean own = queue.equals(Topology.deadLettersOf(planned.node()));
        if (own && deadLettersStarted.compareAndSet(false, true)) {
            deadLetters.start(planned.node());
        }
        QueueConsumers.Source source = own ? ofDeadLetters : ofHandlers;
        return consume(ConsumedQueue.of(queue, prefetch, planned.options()), pace, handler, source, planned);
    }

    private Consumption consume(
            ConsumedQueue queue, Pace pace, DeliveryHandler handler, QueueConsumers.Source source, Topology planned) {
        Consumption consumption = consumers.consume(queue, pace, handler, source);
        if (!consumers.isConsuming(queue.name())) {
            Rights.requireConsuming(source.connection().current(), planned, queue.name());
        }
        return consumption;
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return sender.send(message, deadline);
    }

    @Override
    public ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
        control.listen(listeners);
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

    /** {@inheritDoc} Where one consumer at a time receives deliveries, the broker counts that one alone. */
    @Override
    public OptionalInt consumers(String queue) {
        return OptionalInt.of(RabbitBrowsing.consumers(consuming.current(), queue, timeline));
    }

    /** Closes consumers before publishers: a handler whose publication then fails finds its delivery closed. */
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
