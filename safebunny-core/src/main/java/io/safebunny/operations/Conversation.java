// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyOperations.Instance;
import io.safebunny.concurrency.RecurringTask;
import io.safebunny.node.Node;
import io.safebunny.operations.questions.Neighbours;
import io.safebunny.operations.questions.Sender;
import io.safebunny.transport.ControlAddress.OfNode;
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
    private final Sender self;
    private final Neighbours neighbours;
    private final Consumer<String> toRead;
    private final Instances others;
    private final RecurringTask signs;
    /** Set while an answer to a greeting is due, so that simultaneous greetings get only one answer. */
    private final AtomicBoolean greeted = new AtomicBoolean();

    private volatile ControlChannel control = ControlChannel.none();
    private volatile boolean isLeaving;

    /** @param toRead receives each operation that another instance asks this one to read; must not block */
    Conversation(Node node, Sender self, Neighbours neighbours, Consumer<String> toRead) {
        this.node = node;
        this.self = self;
        this.neighbours = neighbours;
        this.toRead = toRead;
        Duration lease = node.options().lease();
        this.others = new Instances(node.timeline(), neighbours.lately());
        this.signs = new RecurringTask(
                "announcing this instance to the others of the node",
                lease,
                () -> tell(ControlMessage.of(ControlMessage.Kind.HERE, self)),
                node.workers(),
                node.timeline());
    }

    /** Where this instance listens for {@link #heard}. */
    OfNode address() {
        return new OfNode(node.name());
    }

    void join(ControlChannel channel) {
        control = channel;
        isLeaving = false;
        tell(ControlMessage.of(ControlMessage.Kind.HELLO, self));
        signs.start();
    }

    /**
     * From now on nothing is answered: whoever starts while the handlers' last messages are drained would count on this instance.
     *
     * @return whether the others could be told, as far as is known now
     */
    boolean leave() {
        isLeaving = true;
        signs.stop();
        return !send(ControlMessage.of(ControlMessage.Kind.BYE, self)).isCompletedExceptionally();
    }

    /** Why the other instances cannot be reached; {@code null} while they can. */
    @Nullable
    String problem() {
        return control.problem(address());
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
        tell(ControlMessage.read(self, operation));
    }

    /** @param applied whether the operation was found in the store */
    void answer(String operation, boolean applied) {
        later(ControlMessage.answer(self, operation, applied));
    }

    private void tell(ControlMessage message) {
        CompletableFuture<Void> unused = send(message);
    }

    private CompletableFuture<Void> send(ControlMessage message) {
        return control.tell(address(), message.write(JSON)).whenComplete((none, failure) -> {
            if (failure != null) {
                LOG.debug("Could not send {} to the other instances", message.kind(), failure);
            }
        });
    }

    /** Takes what was sent to this node. Does not block. */
    void heard(byte[] bytes) {
        ControlMessage message = ControlMessage.parse(bytes, JSON);
        if (isLeaving || message == null || message.from().instance().equals(self.instance())) {
            return;
        }
        String instance = message.from().instance();
        if (message.kind() == ControlMessage.Kind.BYE) {
            others.left(instance);
            neighbours.left(instance);
            return;
        }
        others.heard(instance);
        neighbours.heard(new Sender(instance, node.name(), message.from().version()));
        String operation = message.operation();
        if (message.kind() == ControlMessage.Kind.HELLO) {
            if (greeted.compareAndSet(false, true)) {
                later(ControlMessage.of(ControlMessage.Kind.HERE, self));
            }
        } else if (operation != null && message.kind() == ControlMessage.Kind.READ) {
            toRead.accept(operation);
        } else if (operation != null) {
            others.answered(operation, instance, message.applied());
        }
    }

    /** Sends the message on another thread, which may wait for the broker. */
    private void later(ControlMessage message) {
        try {
            node.workers().execute(() -> {
                greeted.set(false);
                if (!isLeaving) {
                    tell(message);
                }
            });
        } catch (RejectedExecutionException e) {
            greeted.set(false);
            LOG.debug("Stopping; {} is not sent", message.kind());
        }
    }
}
