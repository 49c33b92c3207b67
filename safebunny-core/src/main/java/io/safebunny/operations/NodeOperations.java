// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.Names;
import io.safebunny.node.AnswersTo;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.observation.BoundedLog;
import io.safebunny.operations.questions.Neighbours;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.operations.questions.Sender;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations on all instances of a node. The store is the source of truth: an operation is written there, and running instances are told to
 * read it at once. Without a store, an operation applies only to the instance that was asked. Thread-safe.
 */
public final class NodeOperations implements BunnyOperations, NodeFeature {

    private static final Logger LOG = LoggerFactory.getLogger(NodeOperations.class);

    /** How long to wait for the answers of the other instances. */
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private static final int ID_LENGTH = 8;

    private final String node;
    private final String instance;
    private final CircuitBreakers breakers;
    private final Timeline timeline;
    private final Pauses pauses;
    private final Conversation others;
    private final Nodes nodes;
    private final Transport transport;
    private final @Nullable SharedPauses shared;
    private final boolean durable;
    private final BoundedLog log;
    private final MovedCopies moved = new MovedCopies();
    /** Whether this node has types that can be paused. */
    private volatile boolean handles;

    /**
     * @param name name of the instance, to which a few random characters are appended; may be empty
     * @param durable whether the store, if there is one, outlives this process
     */
    public NodeOperations(Node node, String name, boolean durable) {
        this.node = node.name();
        this.log = node.log();
        this.breakers = node.breakers();
        this.timeline = node.timeline();
        String own = newId();
        this.instance = name.isEmpty() ? own : Names.printable(name) + '-' + own;
        this.pauses = new Pauses(breakers, timeline, node.options().autoStartup());
        this.transport = node.transport();
        Sender self = new Sender(instance, node.name(), node.options().answersTo() == AnswersTo.NONE ? "" : version());
        Neighbours neighbours = new Neighbours(node);
        this.others = new Conversation(node, self, neighbours, this::isToRead);
        this.nodes = new Nodes(node, self, new OfInstance(own), neighbours);
        this.shared = node.store() == null ? null : new SharedPauses(node, pauses, this::hasLooked);
        this.durable = node.store() != null && durable;
    }

    private static String version() {
        String version = NodeOperations.class.getPackage().getImplementationVersion();
        return version == null ? "" : version; // null if it does not run from its jar
    }

    private String newId() {
        return RandomIds.next(timeline.random()).substring(0, ID_LENGTH);
    }

    @Override
    public List<Object> offers() {
        return List.of(this, nodes);
    }

    /** What people have moved out of the poison queue, or back. */
    public MovedCopies moved() {
        return moved;
    }

    /** The nodes on the broker, and what they are asked. */
    public Nodes nodes() {
        return nodes;
    }

    /**
     * {@inheritDoc} Pauses the types that are paused according to the store, and joins the other instances. An instance that handles nothing
     * asks and is asked, too, but takes no part in hints: nothing can be paused on it.
     */
    @Override
    public void startConsuming(List<HandlerDefinition> handlers) {
        handles = !handlers.isEmpty();
        if (shared != null && handles) {
            shared.start();
        }
        Map<ControlAddress, Consumer<byte[]>> listeners = new HashMap<>(nodes.listeners());
        if (handles) {
            listeners.put(others.address(), others::heard);
        }
        ControlChannel control = transport.control(listeners);
        nodes.join(control, handlers);
        if (handles) {
            others.join(control);
        }
    }

    /** Whether the type is paused, or not started. */
    @Override
    public boolean holds(String type) {
        return pauses.handles(type);
    }

    /** {@inheritDoc} True until the first type is started. */
    @Override
    public boolean holdsOtherQueues() {
        return !pauses.hasBegun();
    }

    @Override
    public void opened(Consumption other) {
        pauses.paces(other);
    }

    @Override
    public void stopConsuming() {
        if (shared != null) {
            shared.stop();
        }
        nodes.leave();
        if (!handles || others.leave()) {
            nodes.sayGoodbye();
        }
        pauses.stop();
    }

    private void isToRead(String operation) {
        if (shared != null) { // without a store, no instance of this node stores operations
            shared.readFor(operation);
        }
    }

    private void hasLooked(String operation) {
        others.answer(operation, pauses.hasRead(operation));
    }

    @Override
    public String instance() {
        return instance;
    }

    @Override
    public List<Pause> paused() {
        return pauses.all();
    }

    @Override
    public Result pause(String type, Duration duration, Scope scope, String reason, String by) {
        return carryOut(type, PauseLimits.pause(duration), scope, reason, by);
    }

    @Override
    public Result resume(String type, Scope scope, String reason, String by) {
        Result result = carryOut(type, Duration.ZERO, scope, reason, by);
        Status now = breakers.statuses().get(type);
        if (now == null || now.state() == State.CLOSED || now.pause() != null) {
            return result;
        }
        String still =
                "on this instance the breaker is still %s, not because of a pause: it closes once its probes succeed"
                        .formatted(now);
        String note = result.note().isEmpty() ? still : result.note() + "; " + still;
        return new Result(result.operation(), result.instances(), result.stored(), note);
    }

    private Result carryOut(String type, Duration duration, Scope scope, String reason, String by) {
        requireHandled(type);
        PauseOrder order = new PauseOrder(
                "op-" + newId(),
                type,
                timeline.now().truncatedTo(ChronoUnit.MILLIS),
                duration,
                PauseLimits.words("reason", reason, PauseLimits.LONGEST_REASON),
                PauseLimits.words("by", by, PauseLimits.LONGEST_BY));
        LOG.info(
                "Operation {}: {} {} {} on {} {} (by {}: {})",
                order.operation(),
                order.isPause() ? "pause" : "resume",
                type,
                order.isPause() ? "for " + duration : "",
                scope == Scope.NODE ? "node" : "instance",
                scope == Scope.NODE ? node : instance,
                order.by(),
                order.reason());
        if (scope == Scope.INSTANCE) {
            pauses.apply(order);
            return new Result(order.operation(), List.of(new Instance(instance, true)), false, "");
        }
        return onTheNode(order);
    }

    private void requireHandled(String type) {
        if (!breakers.states().containsKey(type)) {
            throw new MisuseException(
                    MisuseException.TYPE,
                    "No handler of this node takes the type [type=%s]: it handles %s. Wait for the start, and name one of these."
                            .formatted(Names.printable(type), breakers.states().keySet()));
        }
    }

    private Result onTheNode(PauseOrder order) {
        CompletableFuture<Void> answered = others.expectAnswers(order.operation());
        Deadline deadline = Deadline.after(ANSWER, timeline);
        List<String> notes = new ArrayList<>();
        boolean stored = store(order, notes);
        if (stored) {
            others.tellToRead(order.operation());
            await(answered, deadline);
        } else {
            pauses.apply(order);
        }
        List<Instance> all = new ArrayList<>();
        all.add(new Instance(instance, true));
        all.addAll(others.answers(order.operation()));
        String problem = others.problem();
        if (stored && problem != null) {
            notes.add("other instances cannot be reached (%s)%s"
                    .formatted(
                            problem,
                            durable
                                    ? " and read the store within %s s".formatted(SharedPauses.INTERVAL.toSeconds())
                                    : ""));
        }
        return new Result(order.operation(), all, stored && durable, String.join("; ", notes));
    }

    private static void await(CompletableFuture<Void> answered, Deadline deadline) {
        try {
            boolean unused = deadline.await(answered);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean store(PauseOrder order, List<String> notes) {
        if (shared == null) {
            notes.add("there is no store, so this concerns this instance only: ask each one");
            return false;
        }
        try {
            if (shared.write(order)) {
                if (!durable) {
                    notes.add("the store is in memory, so instances in other processes do not know of it");
                }
                return true;
            }
            notes.add(
                    "others kept changing the stored operations at the same time, so this concerns this instance only: repeat it");
        } catch (RuntimeException e) {
            LOG.warn(
                    "Operation {} is not stored, so it applies to this instance only; repeat it when the store answers",
                    order.operation(),
                    log.tellable(e));
            notes.add("the store does not answer, so this concerns this instance only: repeat it");
        }
        return false;
    }
}
