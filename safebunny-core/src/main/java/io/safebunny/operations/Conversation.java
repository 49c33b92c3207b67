// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyOperations.Instance;
import io.safebunny.time.Timeline;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Transport;
import io.safebunny.waiting.RecurringTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** What this instance says to the others of its node, and hears from them. Thread-safe. */
final class Conversation {

    private static final Logger LOG = LoggerFactory.getLogger(Conversation.class);

    private static final JsonMapper JSON = JsonMapper.shared();

    private final String node;
    private final String instance;
    private final Consumer<String> toRead;
    private final Executor workers;
    private final Instances others;
    private final RecurringTask signs;
    /** Several greetings at once get one answer. */
    private final AtomicBoolean greeted = new AtomicBoolean();

    private volatile ControlChannel control = ControlChannel.none();

    /** @param toRead is told each operation that another instance asks to read; must not block */
    Conversation(
            String node,
            String instance,
            Consumer<String> toRead,
            Timeline timeline,
            Executor workers,
            Duration lease) {
        this.node = node;
        this.instance = instance;
        this.toRead = toRead;
        this.workers = workers;
        this.others = new Instances(timeline, lease.multipliedBy(3));
        this.signs = new RecurringTask(
                "telling the other instances of the node that this one is there",
                lease,
                () -> tell(Word.of(Word.Kind.HERE, instance)),
                workers,
                timeline);
    }

    void join(Transport transport) {
        control = transport.control(node, this::heard);
        tell(Word.of(Word.Kind.HELLO, instance));
        signs.start();
    }

    void leave() {
        signs.stop();
        tell(Word.of(Word.Kind.BYE, instance));
    }

    /** Why nobody can be reached; {@code null} while they can. */
    @Nullable
    String problem() {
        return control.problem();
    }

    /** Call it before the others are told. The future completes when all that are known have answered. */
    CompletableFuture<Void> expectAnswers(String operation) {
        return others.expectAnswers(operation);
    }

    /** Who has answered, and who was expected to; ends the operation. */
    List<Instance> answers(String operation) {
        return others.answers(operation);
    }

    void tellToRead(String operation) {
        tell(Word.read(instance, operation));
    }

    /** @param applied whether the operation was found in the store */
    void answer(String operation, boolean applied) {
        later(Word.answer(instance, operation, applied));
    }

    private void tell(Word word) {
        CompletableFuture<Void> unused = control.tell(word.write(JSON)).whenComplete((none, failure) -> {
            if (failure != null) {
                LOG.debug("Not told to the other instances: {}", word.kind(), failure);
            }
        });
    }

    private void heard(byte[] message) {
        Word word = Word.parse(message, JSON);
        if (word == null || word.from().equals(instance)) {
            return;
        }
        if (word.kind() == Word.Kind.BYE) {
            others.left(word.from());
            return;
        }
        others.heard(word.from());
        String operation = word.operation();
        if (word.kind() == Word.Kind.HELLO) {
            if (greeted.compareAndSet(false, true)) {
                later(Word.of(Word.Kind.HERE, instance));
            }
        } else if (operation != null && word.kind() == Word.Kind.READ) {
            toRead.accept(operation);
        } else if (operation != null) {
            others.answered(operation, word.from(), word.applied());
        }
    }

    /** On a thread that may wait for the broker. */
    private void later(Word word) {
        try {
            workers.execute(() -> {
                greeted.set(false);
                tell(word);
            });
        } catch (RejectedExecutionException e) {
            greeted.set(false);
            LOG.debug("Stopping; {} is not told", word.kind());
        }
    }
}
