// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.BoundedLog;
import io.safebunny.quarantine.QuarantinePolicy;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Pace;
import io.safebunny.spi.transport.Route;
import io.safebunny.spi.transport.Transport;
import io.safebunny.spi.transport.TransportStatus;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/** {@link Transport} on RabbitMQ 3.10 to 4.3: one connection to publish, one to consume, and one for dead letters. Thread-safe. */
public final class RabbitTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitTransport.class);

    private final RabbitTransportOptions options;
    private final ConnectionFactory publishFactory;
    private final ConnectionFactory consumeFactory;
    private final ConnectionFactory deadLetterFactory;
    private final Executor workers;
    private final Timeline timeline;
    private final ContainerCustomizer<AbstractMessageListenerContainer> customizer;
    private final ConnectionKeeper publishing;
    private final ConnectionKeeper consuming;
    private final ConnectionKeeper deadLetters;
    /** With their first consumer. */
    private final AtomicBoolean deadLettersStarted = new AtomicBoolean();

    private final PublisherPool publishers;
    private final BoundedLog log;
    private final InboundBudget budget;
    private final List<QueueContainer> containers = new CopyOnWriteArrayList<>();
    private volatile @Nullable Topology topology;
    private volatile @Nullable Delay delay;
    /** A message for this node itself, or for a delay, found no queue. */
    private final AtomicBoolean missing = new AtomicBoolean();

    /** With containers of which nothing is customized. */
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
        this.options = options;
        this.publishFactory = publishFactory;
        this.consumeFactory = consumeFactory;
        this.deadLetterFactory = deadLetterFactory;
        this.workers = workers;
        this.timeline = timeline;
        this.customizer = customizer;
        this.publishing = keeper("publish", publishFactory, this::preparePublishing, () -> {});
        this.consuming = keeper("consume", consumeFactory, this::prepareConsuming, this::consumeAgain);
        this.deadLetters = keeper("dead-letters", deadLetterFactory, this::prepareConsuming, this::consumeAgain);
        this.log = new BoundedLog(timeline, ExceptionDetails.FULL); // the broker's words, never a message's
        this.budget = new InboundBudget(options.inboundBytes(), log);
        this.publishers = new PublisherPool(publishing, this::preparePublishing, timeline, options.maxConcurrency());
    }

    private ConnectionKeeper keeper(
            String purpose, ConnectionFactory factory, ConnectionKeeper.Preparation preparation, Runnable opened) {
        return new ConnectionKeeper(
                purpose,
                factory,
                timeline,
                task -> Link.daemon("safebunny-connect-" + purpose, task),
                preparation,
                opened);
    }

    @Override
    public void start(Topology planned) {
        topology = planned;
        if (options.delayStrategy() == DelayStrategy.AUTO) {
            probeDelay(planned);
        }
        consuming.start(planned.node());
        publishing.start(planned.node());
        Rights.requirePublishing(consuming.current(), planned, delay);
        publishers.start();
    }

    /** Ahead of the keeper, because a broker without the plugin closes the connection that asks for it. */
    private void probeDelay(Topology planned) {
        try {
            Connection connection = consumeFactory.createConnection().getDelegate();
            if (connection != null) {
                delay = choose(connection, planned.options());
            }
        } catch (AmqpException | IOException | ShutdownSignalException e) {
            LOG.debug("Not connected yet; the delay strategy is chosen later", e);
        }
    }

    /** On every connect, and when a queue is gone: the delay strategy, the topology (the broker may have lost it). */
    private void prepareConsuming(Connection connection) throws IOException {
        Topology planned = requireTopology();
        Delay chosen = delay;
        if (chosen == null) {
            chosen = choose(connection, planned.options());
            delay = chosen;
        }
        try (Declarations broker = Declarations.on(connection, planned)) {
            TopologyDeclarer.apply(broker, planned, chosen);
        }
    }

    /** The same, because a publication may come before the other connection is back and find no exchange and no queue. */
    private void preparePublishing(Connection connection) throws IOException {
        forgetRungs();
        prepareConsuming(connection);
    }

    private void consumeAgain() {
        containers.forEach(QueueContainer::adjustSoon);
    }

    private Delay choose(Connection connection, TopologyOptions names) throws IOException {
        DelayStrategy strategy = options.delayStrategy();
        if (strategy == DelayStrategy.AUTO) {
            strategy = DelayProbe.hasPlugin(connection, names) ? DelayStrategy.PLUGIN : DelayStrategy.LADDER;
        }
        if (strategy == DelayStrategy.PLUGIN) {
            LOG.info(
                    "Delayed messages wait in exchange {} of the plugin rabbitmq_delayed_message_exchange, on one"
                            + " broker only [safebunny.delay.strategy={}]",
                    names.delayedExchange(),
                    nameOf(options.delayStrategy()));
            return new PluginDelay(names);
        }
        LOG.info(
                "Delayed messages wait in durable queues {}.*, which no plugin is needed for"
                        + " [safebunny.delay.strategy={}]",
                names.delayedExchange(),
                nameOf(options.delayStrategy()));
        return new LadderDelay(names);
    }

    private static String nameOf(DelayStrategy strategy) {
        return strategy.name().toLowerCase(Locale.ROOT);
    }

    /** What was declared for delays may be gone: the next message that needs it declares it again. */
    private void forgetRungs() {
        Delay chosen = delay;
        if (chosen != null) {
            chosen.reconnected();
        }
    }

    private Topology requireTopology() {
        Topology planned = topology;
        if (planned == null) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING, "The transport is not started. Call start(topology) before this.");
        }
        return planned;
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        Topology planned = requireTopology();
        boolean own = queue.equals(Topology.deadLettersOf(planned.node()));
        if (own && deadLettersStarted.compareAndSet(false, true)) {
            deadLetters.start(planned.node());
        }
        ConnectionKeeper keeper = own ? deadLetters : consuming;
        InboundBudget.Share share = budget.share(queue, prefetch);
        QueueContainer container = new QueueContainer(
                queue,
                prefetch,
                share,
                handler,
                own ? deadLetterFactory : consumeFactory,
                keeper::current,
                this::prepareConsuming,
                planned.options().queueType() == QueueType.QUORUM,
                new QuarantinePolicy(planned.options().deliveryLimit(), QuarantinePolicy.PATIENCE),
                workers,
                timeline,
                log);
        container.customizeBy(own ? dead -> {} : customizer); // nothing is handled there
        containers.add(container);
        container.start();
        if (!container.isConsuming()) {
            Rights.requireConsuming(keeper.current(), planned, queue);
        }
        return new Consumption() {
            @Override
            public void pace(Pace pace) {
                container.setPace(pace);
            }

            @Override
            public CompletableFuture<Void> stop() {
                containers.remove(container);
                share.leave();
                return container.drainAndStop();
            }
        };
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        CompletableFuture<Void> sent = publishers.publish(message.publication(), () -> outgoing(message), deadline);
        return isOwn(message) ? rememberingWhatIsMissing(sent) : sent;
    }

    /** A future of its own, because a dependent stage would wrap the failure. */
    private CompletableFuture<Void> rememberingWhatIsMissing(CompletableFuture<Void> sent) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        CompletableFuture<Void> unused = sent.whenComplete((none, failure) -> {
            if (failure instanceof UnroutableException) {
                missing.set(true);
            }
            if (failure == null) {
                told.complete(null);
            } else {
                told.completeExceptionally(failure);
            }
        });
        return told;
    }

    /** Whether what it needs on the broker is declared by this node, and not by those it is for. */
    private static boolean isOwn(OutboundMessage message) {
        return !message.delay().isZero() || !(message.route() instanceof Route.Publication);
    }

    private PublisherPool.Outgoing outgoing(OutboundMessage message) throws IOException {
        if (isOwn(message)) {
            declareMissing();
        }
        Destination destination = destination(message);
        WireMessage wire = message.message();
        return new PublisherPool.Outgoing(destination, wire, headers(wire, destination), user(message.route()));
    }

    /** Not of poison copies: nothing in that queue proves who sent it, and who replays it is another user. */
    private @Nullable String user(Route route) {
        return options.tellsUser() && !(route instanceof Route.Poison) ? publishFactory.getUsername() : null;
    }

    private static Map<String, Object> headers(WireMessage wire, Destination destination) {
        if (destination.extraHeaders().isEmpty()) {
            return wire.headers();
        }
        Map<String, Object> headers = new HashMap<>(wire.headers());
        headers.putAll(destination.extraHeaders());
        return headers;
    }

    /** One at a time; when it fails, so does the publication that asked for it, and the next answer of the broker asks again. */
    private void declareMissing() throws IOException {
        Connection connection = publishing.current();
        if (connection != null && missing.compareAndSet(true, false)) {
            preparePublishing(connection);
        }
    }

    private Destination destination(OutboundMessage message) throws IOException {
        Route route = message.route();
        if (!message.delay().isZero()) {
            Delay chosen = delay;
            if (chosen == null) {
                throw new IOException("not connected");
            }
            return chosen.delayed(route, message.delay(), this::publishingDeclarations);
        }
        Topology planned = topology;
        if (planned == null) {
            throw new IOException("not started");
        }
        TopologyOptions names = planned.options();
        if (route instanceof Route.Publication publication) {
            return new Destination(names.mainExchange(), publication.routingKey(), true, Map.of());
        }
        if (route instanceof Route.Poison poison) {
            return new Destination(names.ownExchange(), Topology.poisonOf(poison.node()), true, Map.of());
        }
        return new Destination(names.ownExchange(), route.routingKey(), true, Map.of());
    }

    private Declarations publishingDeclarations() throws IOException {
        Connection connection = publishing.current();
        if (connection == null) {
            throw new IOException("not connected");
        }
        return Declarations.on(connection, requireTopology());
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
        if (problem == null) {
            problem = containers.stream()
                    .filter(container -> !container.isConsuming())
                    .map(container -> "queue '" + container.queue() + "' is not consumed")
                    .findFirst()
                    .orElse(null);
        }
        return problem == null
                ? new TransportStatus(true, "connected to RabbitMQ")
                : new TransportStatus(false, problem);
    }

    /** Deliveries first: a handler whose publication fails for this must find its own delivery closed. */
    @Override
    public void close() {
        consuming.close();
        deadLetters.close();
        publishers.close();
        publishing.close();
        log.close();
    }
}
