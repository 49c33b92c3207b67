// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.identity.RandomIds;
import io.safebunny.rabbit.ControlProblem.Consequence;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.rabbit.topology.Declarations;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.ControlAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exclusive queue of this instance, with a channel of its own on the consuming connection, bound to the control exchange with one key
 * for each address at which the instance listens. {@link #join} is called by one thread at a time; the rest is thread-safe.
 */
final class ControlQueue {

    private static final Logger LOG = LoggerFactory.getLogger(ControlQueue.class);

    /** Old messages are worthless, and in a flood the broker should drop the oldest rather than deliver all. */
    private static final Map<String, Object> BOUNDS =
            Map.of("x-message-ttl", 10_000, "x-max-length", 1_000, "x-max-length-bytes", 16 * 1024 * 1024);

    private static final int AT_ONCE = 20;

    private static final String NOT_JOINED = "not connected";

    /** How old a binding may be: the broker tells nobody when somebody deletes the exchange, and the bindings with it. */
    private static final Duration RENEWAL = Duration.ofMinutes(1);

    private final Consequence consequence;
    private final DeclaredTopology declared;
    private final Executor workers;
    private final Timeline timeline;
    private final Consumer<Duration> joinAfter;

    private volatile Map<ControlAddress, Consumer<byte[]>> listeners = Map.of();
    private volatile @Nullable Channel channel;
    private volatile boolean isStale;
    /** Of the queue as a whole; {@code null} if it was declared when last tried, or never tried. */
    private volatile @Nullable ControlProblem failed;
    /** The addresses with which the queue is bound, and the monotonic times at which that was last made sure. */
    private final Map<ControlAddress, Long> bound = new ConcurrentHashMap<>();
    /** Of the other bindings. */
    private final Map<ControlAddress, ControlProblem> unbound = new ConcurrentHashMap<>();

    private String queue = "";
    private @Nullable Connection triedOn;

    /**
     * @param consequence of a queue that is not there. What is refused is tried again every five minutes if hints depend on it, otherwise on
     *     the next connection
     * @param joinAfter asks for {@link #join} after that time
     */
    ControlQueue(
            Consequence consequence,
            DeclaredTopology declared,
            Executor workers,
            Timeline timeline,
            Consumer<Duration> joinAfter) {
        this.consequence = consequence;
        this.declared = declared;
        this.workers = workers;
        this.timeline = timeline;
        this.joinAfter = joinAfter;
    }

    /** Sets who is called. Takes effect with the next {@link #join}. */
    void listen(Map<ControlAddress, Consumer<byte[]>> heard) {
        listeners = Map.copyOf(heard);
    }

    boolean listensAt(ControlAddress address) {
        return listeners.containsKey(address);
    }

    /** Why this user may not have the queue; {@code null} if it may, as far as is known. */
    @Nullable
    String refusal() {
        ControlProblem present = failed;
        return present != null && present.refused() ? present.words() : null;
    }

    /** Why nothing is received at this address; {@code null} if it is, or nobody listens there. */
    @Nullable
    String problem(ControlAddress address) {
        Channel present = channel;
        if (present == null || !present.isOpen()) {
            return words(failed);
        }
        return !listeners.containsKey(address) || bound.containsKey(address) ? null : words(unbound.get(address));
    }

    private static String words(@Nullable ControlProblem problem) {
        return problem == null ? NOT_JOINED : problem.words();
    }

    /** Call when the exchange or the queue may be lost: {@link #join} then declares all of it again. */
    void lost() {
        isStale = true;
        joinAfter.accept(ControlProblem.AFTER_FAILURE);
    }

    /** Declares, consumes and binds the queue, as far as that has not been done and may be tried again. */
    void join(Connection present) {
        if (listeners.isEmpty()) {
            return;
        }
        boolean isNew = present != triedOn;
        triedOn = present;
        if ((isStale || !isOpenOn(present)) && !(mayTry(isNew, failed) && isOpened(present))) {
            return;
        }
        for (ControlAddress address : listeners.keySet()) {
            if (!isSurelyBound(address) && mayTry(isNew, unbound.get(address))) {
                ControlProblem problem = bind(present, address);
                if (problem != null && problem.concernsTheExchange()) { // then the others would only be refused, too
                    listeners.keySet().forEach(other -> unbound.put(other, problem));
                    return;
                }
            }
        }
        if (!bound.isEmpty()) {
            joinAfter.accept(RENEWAL);
        }
    }

    private boolean isSurelyBound(ControlAddress address) {
        Long at = bound.get(address);
        return at != null && timeline.nanoTime() - at < RENEWAL.toNanos();
    }

    /** Otherwise asks to be called again when it may be tried, if that helps. */
    private boolean mayTry(boolean isNew, @Nullable ControlProblem before) {
        if (isNew || before == null) {
            return true;
        }
        boolean triesAgain = !before.refused() || consequence == Consequence.NO_HINTS;
        if (triesAgain && !before.isDue(timeline)) {
            joinAfter.accept(before.left(timeline));
        }
        return triesAgain && before.isDue(timeline);
    }

    private boolean isOpened(Connection present) {
        try {
            open(present);
            failed = null;
            return true;
        } catch (IOException | RuntimeException e) {
            closePresent();
            ControlProblem problem = ControlProblem.of(consequence, failed, isRefusal(e), e, timeline);
            failed = problem;
            joinAgain(problem);
            return false;
        }
    }

    private void joinAgain(ControlProblem problem) {
        if (!problem.refused() || consequence == Consequence.NO_HINTS) {
            joinAfter.accept(problem.left(timeline));
        }
    }

    private void open(Connection present) throws IOException {
        closePresent();
        bound.clear();
        Topology planned = declared.require();
        try (Declarations broker = Declarations.on(present, planned)) {
            boolean unused = broker.exchange(planned.options().controlExchange(), "topic", Map.of());
        }
        Channel opened = Channels.open(present);
        // set before the channel can be closed, so that its shutdown listener recognises it
        channel = opened;
        isStale = false;
        consume(opened, planned.node());
    }

    private void closePresent() {
        Channel present = channel;
        channel = null;
        if (present != null) {
            Channels.closeQuietly(present);
        }
    }

    private void consume(Channel opened, String node) throws IOException {
        // a new name each time: if the broker has not noticed yet that the old connection is gone, it still has that
        // connection's queue
        queue = node + "-control-" + RandomIds.next(timeline.random());
        opened.queueDeclare(queue, false, true, true, BOUNDS);
        opened.basicQos(AT_ONCE);
        opened.basicConsume(
                queue,
                false,
                (tag, delivery) -> onWorker(() -> {
                    hear(delivery);
                    acknowledge(opened, delivery);
                }),
                tag -> onWorker(() -> Channels.closeQuietly(opened)));
        opened.addShutdownListener(cause -> {
            if (channel == opened) {
                lost();
            }
        });
    }

    /** On a channel of its own, because the broker closes the channel of a binding that it refuses. */
    private @Nullable ControlProblem bind(Connection present, ControlAddress address) {
        Channel binding = null;
        try {
            binding = Channels.open(present);
            binding.queueBind(queue, declared.require().options().controlExchange(), RabbitControl.key(address));
            bound.put(address, timeline.nanoTime());
            unbound.remove(address);
            return null;
        } catch (IOException | RuntimeException e) {
            bound.remove(address);
            AMQP.Channel.Close close = Channels.closeReason(e);
            if (close != null && close.getReplyCode() == AMQP.NOT_FOUND) { // nor are the other bindings there
                lost();
                return null;
            }
            ControlProblem problem = ControlProblem.of(consequence, unbound.get(address), isRefusal(e), e, timeline);
            unbound.put(address, problem);
            joinAgain(problem);
            return problem;
        } finally {
            if (binding != null) {
                Channels.closeQuietly(binding);
            }
        }
    }

    /** The key tells the listeners apart, so that nobody gets past the permission of one by sending to another. */
    private void hear(Delivery delivery) {
        String key = delivery.getEnvelope().getRoutingKey();
        listeners.forEach((address, heard) -> {
            if (RabbitControl.key(address).equals(key)) {
                heard.accept(delivery.getBody());
            }
        });
    }

    /** Runs the task on a worker, because the connection's own thread must not wait for the broker. */
    private void onWorker(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("This instance is stopping and hears no more of the others", e);
        }
    }

    private static void acknowledge(Channel opened, Delivery delivery) {
        try {
            opened.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
        } catch (IOException | ShutdownSignalException e) {
            LOG.debug("Cannot acknowledge a message of another instance: its channel is closed", e);
        }
    }

    private boolean isOpenOn(Connection connection) {
        Channel present = channel;
        return present != null && present.isOpen() && present.getConnection() == connection;
    }

    private static boolean isRefusal(Exception failure) {
        AMQP.Channel.Close close = Channels.closeReason(failure);
        return failure instanceof ConfigurationException
                || (close != null
                        && (close.getReplyCode() == AMQP.ACCESS_REFUSED || close.getReplyCode() == AMQP.NOT_FOUND));
    }
}
