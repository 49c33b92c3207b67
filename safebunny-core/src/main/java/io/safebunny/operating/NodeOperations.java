// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operating;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyOperations;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.failure.MisuseException;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.Names;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.transport.ControlChannel;
import io.safebunny.spi.transport.Transport;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.work.RecurringTask;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Operations on all instances of a node. An order is told to the instances that run, which answer, and then stored for those that
 * start later or were not reached: each reads the store at its start and once per lease. Thread-safe.
 */
public final class NodeOperations implements BunnyOperations {

    private static final Logger LOG = LoggerFactory.getLogger(NodeOperations.class);

    /** How long the others have to answer. */
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private static final int ID_LENGTH = 8;
    private static final JsonMapper JSON = JsonMapper.shared();

    private final String node;
    private final String instance;
    private final CircuitBreakers breakers;
    private final Timeline timeline;
    private final Executor workers;
    private final Duration lease;
    private final Pauses pauses;
    private final Instances others;
    private final @Nullable StoredOrders stored;
    private final boolean durable;
    private final RecurringTask rounds;
    private volatile ControlChannel control = ControlChannel.none();
    private volatile boolean storeAnswers = true;

    /**
     * @param name what the instance is called before a few characters of its own; empty for these alone
     * @param store {@code null} for none
     * @param durable whether the store outlives this process
     * @param lease how often the store is read
     */
    public NodeOperations(
            String node,
            String name,
            CircuitBreakers breakers,
            @Nullable MessageStore store,
            boolean durable,
            Timeline timeline,
            Executor workers,
            Duration lease) {
        this.node = node;
        this.breakers = breakers;
        this.timeline = timeline;
        this.workers = workers;
        this.lease = lease;
        String own = newId();
        this.instance = name.isEmpty() ? own : Names.printable(name) + '-' + own;
        this.pauses = new Pauses(breakers, timeline);
        this.others = new Instances(timeline, lease.multipliedBy(3));
        this.stored = store == null ? null : new StoredOrders(store, timeline, JSON);
        this.durable = store != null && durable;
        this.rounds = new RecurringTask("looking for operations on the node", lease, this::round, workers, timeline);
    }

    private String newId() {
        return RandomIds.next(timeline.random()).substring(0, ID_LENGTH);
    }

    /** Joins the other instances, and pauses what is paused; before the node consumes. */
    public void start(Transport transport) {
        control = transport.control(node, this::heard);
        readStore();
        tell(Word.of(Word.Kind.HELLO, instance));
        rounds.start();
    }

    /** The node handles this type from now on. */
    public void handles(String type) {
        pauses.handles(type);
    }

    /** Before the transport is closed. */
    public void stop() {
        rounds.stop();
        tell(Word.of(Word.Kind.BYE, instance));
        pauses.stop();
    }

    private void round() {
        readStore();
        tell(Word.of(Word.Kind.HERE, instance));
    }

    private void readStore() {
        if (stored == null) {
            return;
        }
        try {
            stored.read().values().forEach(order -> pauses.apply(order, Scope.NODE, order.left(timeline.now())));
            storeAnswers = true;
        } catch (RuntimeException e) {
            if (storeAnswers) {
                LOG.warn(
                        "The store does not tell which types of node {} are paused; looking again every {} ms",
                        node,
                        lease.toMillis(),
                        e);
            }
            storeAnswers = false;
        }
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
        return carryOut(type, Limits.pause(duration), scope, reason, by);
    }

    @Override
    public Result resume(String type, Scope scope, String reason, String by) {
        Result result = carryOut(type, Duration.ZERO, scope, reason, by);
        State state = breakers.states().get(type);
        if (state == State.CLOSED
                || paused().stream().anyMatch(pause -> pause.type().equals(type))) {
            return result;
        }
        String still =
                "on this instance the breaker is still %s, not because of a pause: it closes once its probes succeed"
                        .formatted(state);
        String note = result.note().isEmpty() ? still : result.note() + "; " + still;
        return new Result(result.operation(), result.instances(), result.stored(), note);
    }

    private Result carryOut(String type, Duration duration, Scope scope, String reason, String by) {
        requireHandled(type);
        Order order = new Order(
                "op-" + newId(),
                type,
                pauses.nextSequence(type),
                timeline.now().truncatedTo(ChronoUnit.MILLIS),
                duration,
                Limits.words("reason", reason, Limits.LONGEST_REASON),
                Limits.words("by", by, Limits.LONGEST_BY));
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
            Instance here = new Instance(instance, pauses.apply(order, scope, duration));
            return new Result(order.operation(), List.of(here), false, "");
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

    private Result onTheNode(Order order) {
        CompletableFuture<Void> answered = others.expectAnswers(order.operation());
        Deadline deadline = Deadline.after(ANSWER, timeline);
        boolean applied = pauses.apply(order, Scope.NODE, order.duration());
        tell(Word.order(instance, order));
        List<String> notes = new ArrayList<>();
        boolean kept = store(order, notes);
        try {
            boolean unused = deadline.await(answered);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<Instance> all = new ArrayList<>();
        all.add(new Instance(instance, applied));
        all.addAll(others.answers(order.operation()));
        String problem = control.problem();
        if (problem != null) {
            notes.add("other instances cannot be reached (%s)%s"
                    .formatted(
                            problem,
                            kept && durable ? " and read the store within %d s".formatted(lease.toSeconds()) : ""));
        }
        return new Result(order.operation(), all, kept && durable, String.join("; ", notes));
    }

    private boolean store(Order order, List<String> notes) {
        if (stored == null) {
            notes.add("there is no store, so an instance that starts later knows nothing of it");
            return false;
        }
        try {
            if (stored.write(order)) {
                if (!durable) {
                    notes.add("the store is in memory, so an instance that starts later may know nothing of it");
                }
                return true;
            }
            notes.add("a later operation on this type is stored, and counts from the next lease on");
        } catch (RuntimeException e) {
            LOG.warn("Operation {} is not stored; repeat it when the store answers", order.operation(), e);
            notes.add("the store does not answer, so an instance that starts later may know nothing of it: repeat it");
        }
        return false;
    }

    private void tell(Word word) {
        if (control.problem() != null) {
            return;
        }
        CompletableFuture<Void> unused = control.tell(word.write(JSON)).whenComplete((none, failure) -> {
            if (failure != null) {
                LOG.debug("Not told to the other instances: {}", word.kind(), failure);
            }
        });
    }

    private void heard(byte[] message) {
        Word word = Word.read(message, JSON);
        if (word == null || word.from().equals(instance)) {
            return;
        }
        if (word.kind() == Word.Kind.BYE) {
            others.left(word.from());
            return;
        }
        others.heard(word.from());
        Order order = word.order();
        String operation = word.operation();
        if (word.kind() == Word.Kind.HELLO) {
            answer(Word.of(Word.Kind.HERE, instance));
        } else if (order != null) {
            boolean applied = pauses.apply(order, Scope.NODE, order.duration());
            answer(Word.answer(instance, order.operation(), applied));
        } else if (operation != null) {
            others.answered(operation, word.from(), word.applied());
        }
    }

    /** On a thread that may wait for the broker. */
    private void answer(Word word) {
        try {
            workers.execute(() -> tell(word));
        } catch (RejectedExecutionException e) {
            LOG.debug("Stopping; {} is not told", word.kind());
        }
    }
}
