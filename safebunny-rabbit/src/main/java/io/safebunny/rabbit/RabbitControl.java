// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import com.rabbitmq.client.Connection;
import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.NackedException;
import io.safebunny.rabbit.ControlProblem.Consequence;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlAddress.OfNode;
import io.safebunny.transport.ControlChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connects running instances over a topic exchange, so that topic permissions apply: each instance has one {@link ControlQueue} for the hints
 * of its node, and one for the questions of all nodes, so that a flood or a failure of questions does not affect the hints. Messages are
 * sent through the publishing connection, because a broker alarm blocks the connection that publishes. Failures here are retried in the
 * background and never affect the consumers. Thread-safe.
 */
final class RabbitControl implements ControlChannel {

    private static final Duration TELLING = Duration.ofSeconds(1);

    /** Key, or beginning of the key, of what is not for one node only. No node's name begins with an underscore. */
    private static final String ALL = "_all";

    private final RabbitSender sender;
    private final Supplier<@Nullable Connection> connection;
    private final Timeline timeline;
    private final SerialTask joining;
    private final ControlQueue hints;
    private final ControlQueue questions;
    /** Of what is sent, by permission. */
    private final Map<String, ControlProblem> tells = new ConcurrentHashMap<>();

    /** @param connection the current one; {@code null} while disconnected */
    RabbitControl(
            RabbitSender sender,
            Supplier<@Nullable Connection> connection,
            DeclaredTopology declared,
            Executor workers,
            Timeline timeline) {
        this.sender = sender;
        this.connection = connection;
        this.timeline = timeline;
        this.joining = new SerialTask("joining the other instances", this::join, workers, timeline);
        Consumer<Duration> joinAfter = time -> joining.requestAfter(time, Purpose.UPKEEP);
        this.hints = new ControlQueue(Consequence.NO_HINTS, declared, workers, timeline, joinAfter);
        this.questions = new ControlQueue(Consequence.NO_QUESTIONS, declared, workers, timeline, joinAfter);
    }

    static String key(ControlAddress address) {
        if (address instanceof OfNode ofNode) {
            return ofNode.node();
        }
        return address instanceof OfInstance ofInstance ? ALL + '.' + ofInstance.id() : ALL;
    }

    /** What is refused for one instance is refused for all of them. */
    private static String permission(ControlAddress address) {
        return address instanceof OfInstance ? ALL + ".*" : key(address);
    }

    /** Joins the other instances: before it returns if there is a connection, otherwise as soon as there is one. */
    void listen(Map<ControlAddress, Consumer<byte[]>> heard) {
        Map<ControlAddress, Consumer<byte[]>> ofNode = new HashMap<>(heard);
        ofNode.keySet().removeIf(address -> !(address instanceof OfNode));
        Map<ControlAddress, Consumer<byte[]>> others = new HashMap<>(heard);
        others.keySet().removeAll(ofNode.keySet());
        hints.listen(ofNode);
        questions.listen(others);
        join();
    }

    /** Call on every new connection. Does not block. */
    void connected() {
        joining.request();
    }

    void close() {
        joining.stop();
    }

    private synchronized void join() {
        Connection present = connection.get();
        if (present == null) {
            return;
        }
        hints.join(present);
        if (hints.refusal() == null) { // otherwise the other queue would only be refused, too
            questions.join(present);
        }
    }

    @Override
    public @Nullable String problem(ControlAddress address) {
        boolean isItself = address instanceof OfInstance && questions.listensAt(address);
        ControlProblem telling = isItself ? null : tells.get(permission(address));
        if (telling != null && (telling.refused() || !telling.isDue(timeline))) {
            return telling.words();
        }
        if (address instanceof OfNode) {
            return hints.problem(address);
        }
        String refusal = hints.refusal();
        return refusal == null ? questions.problem(address) : refusal;
    }

    @Override
    public CompletableFuture<Void> tell(ControlAddress to, byte[] message) {
        String permission = permission(to);
        ControlProblem before = tells.get(permission);
        if (before != null && before.refused() && !before.isDue(timeline)) {
            return CompletableFuture.failedFuture(new IOException(before.words()));
        }
        CompletableFuture<Void> sent = sender.announce(key(to), message, Deadline.after(TELLING, timeline));
        return sent.whenComplete((none, failure) -> {
            if (failure == null) {
                tells.remove(permission);
                return;
            }
            ControlProblem problem =
                    ControlProblem.of(Consequence.at(to), before, isForbidden(failure), failure, timeline);
            // a failure beside it, on the channel that the broker has closed, does not end a refusal
            tells.compute(
                    permission,
                    (same, known) -> known != null && known.refused() && !known.isDue(timeline) ? known : problem);
            if (problem.words().contains("NOT_FOUND")) { // the exchange is lost, and the bindings with it
                hints.lost();
                questions.lost();
            }
        });
    }

    private static boolean isForbidden(Throwable failure) {
        return failure instanceof NackedException
                && String.valueOf(failure.getMessage()).contains("ACCESS_REFUSED");
    }
}
