// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyOperations.Instance;
import io.safebunny.concurrency.RecurringTask;
import io.safebunny.node.Node;
import io.safebunny.transport.ControlChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Messages between this instance and the others of its node. Thread-safe. */
final class Conversation {

    private static final Logger LOG = LoggerFactory.getLogger(Conversation.class);

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Node node;
    private final String instance;
    private final Consumer<String> toRead;
    private final Instances others;
    private final RecurringTask signs;
    /** Set while an answer to a greeting is due, so that simultaneous greetings get only one answer. */
    private final AtomicBoolean greeted = new AtomicBoolean();

    private volatile ControlChannel control = ControlChannel.none();

    /** @param toRead receives each operation that another instance asks this one to read; must not block */
    Conversation(Node node, String instance, Consumer<String> toRead) {
        this.node = node;
        this.instance = instance;
        this.toRead = toRead;
        Duration lease = node.options().lease();
        this.others = new Instances(node.timeline(), lease.multipliedBy(3));
        this.signs = new RecurringTask(
                "announcing this instance to the others of the node",
                lease,
                () -> tell(ControlMessage.of(ControlMessage.Kind.HERE, instance)),
                node.workers(),
                node.timeline());
    }

    void join() {
        control = node.transport().control(node.name(), this::heard);
        tell(ControlMessage.of(ControlMessage.Kind.HELLO, instance));
        signs.start();
    }

    void leave() {
        signs.stop();
        tell(ControlMessage.of(ControlMessage.Kind.BYE, instance));
    }

    /** Why the other instances cannot be reached; {@code null} while they can. */
    @Nullable
    String problem() {
        return control.problem();
    }

    /** Call this before telling the others. The future completes when all known instances have answered. */
    CompletableFuture<Void> expectAnswers(String operation) {
        return others.expectAnswers(operation);
    }

    /** The instances that answered, and those that were expected to. Call once, at the end of the operation. */
    List<Instance> answers(String operation) {
        return others.answers(operation);
    }

    void tellToRead(String operation) {
        tell(ControlMessage.read(instance, operation));
    }

    /** @param applied whether the operation was found in the store */
    void answer(String operation, boolean applied) {
        later(ControlMessage.answer(instance, operation, applied));
    }

    private void tell(ControlMessage message) {
        CompletableFuture<Void> unused = control.tell(message.write(JSON)).whenComplete((none, failure) -> {
            if (failure != null) {
                LOG.debug("Could not send {} to the other instances", message.kind(), failure);
            }
        });
    }

    private void heard(byte[] bytes) {
        ControlMessage message = ControlMessage.parse(bytes, JSON);
        if (message == null || message.from().equals(instance)) {
            return;
        }
        if (message.kind() == ControlMessage.Kind.BYE) {
            others.left(message.from());
            return;
        }
        others.heard(message.from());
        String operation = message.operation();
        if (message.kind() == ControlMessage.Kind.HELLO) {
            if (greeted.compareAndSet(false, true)) {
                later(ControlMessage.of(ControlMessage.Kind.HERE, instance));
            }
        } else if (operation != null && message.kind() == ControlMessage.Kind.READ) {
            toRead.accept(operation);
        } else if (operation != null) {
            others.answered(operation, message.from(), message.applied());
        }
    }

    /** Sends the message on another thread, which may wait for the broker. */
    private void later(ControlMessage message) {
        try {
            node.workers().execute(() -> {
                greeted.set(false);
                tell(message);
            });
        } catch (RejectedExecutionException e) {
            greeted.set(false);
            LOG.debug("Stopping; {} is not sent", message.kind());
        }
    }
}
