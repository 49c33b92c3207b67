// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.SafeBunnyEvent.Listener;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.SafeBunnyEvent.MessageMoved;
import io.safebunny.SafeBunnyEvent.MessagePoisoned;
import io.safebunny.SafeBunnyEvent.MessageTakenOver;
import io.safebunny.concurrency.SerialTask;
import io.safebunny.message.Envelope;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes events to the application's listeners on a separate thread: the code that reports an event neither waits for them nor sees their
 * failures. Thread-safe. Only {@link #stop} and {@link #moved}, which calls the listeners itself, block.
 */
public final class Events {

    private static final Logger LOG = LoggerFactory.getLogger(Events.class);

    private static final int MOST_UNTOLD = 10_000;
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private static final Subject FAILED = Subject.warn(LOG, "Listeners of events failed");
    private static final Subject DROPPED = Subject.warn(LOG, "Events are dropped because listeners are too slow");

    private final String node;
    private final List<Listener> listeners;
    private final Timeline timeline;
    private final BoundedLog log;
    /** Undelivered events, in the order in which they happened. */
    private final Queue<SafeBunnyEvent> untold = new ConcurrentLinkedQueue<>();

    private final Semaphore places = new Semaphore(MOST_UNTOLD);
    private final Lock oneByOne = new ReentrantLock();

    private final SerialTask telling;

    /** Completes when all events from before the stop have been delivered; {@code null} before the stop. */
    private volatile @Nullable CompletableFuture<Void> lastWords;

    /** @param executor runs the listeners, which may block */
    public Events(String node, List<Listener> listeners, Executor executor, Timeline timeline, BoundedLog log) {
        this.node = node;
        this.listeners = List.copyOf(listeners);
        this.timeline = timeline;
        this.log = log;
        this.telling = new SerialTask("telling listeners of events", this::tellUntold, executor, timeline);
    }

    /**
     * @param queue the queue that the message came from
     * @param failure why it is set aside
     */
    public void poisoned(String queue, WireMessage message, PoisonReason reason, Throwable failure) {
        tell(new MessagePoisoned(
                node,
                queue,
                printable(message.type()),
                printable(message.messageId()),
                printable(message.correlationId()),
                reason.wireName(),
                failure.getClass().getName(),
                timeline.now()));
    }

    public void givenUp(Envelope message, PoisonReason reason, Throwable failure) {
        tell(new MessageGivenUp(
                node,
                message.type(),
                message.id(),
                message.correlationId(),
                message.attempt(),
                reason.wireName(),
                failure.getClass().getName(),
                timeline.now()));
    }

    /**
     * Like {@link #givenUp}, for a message that was refused before handling, or set aside by the broker: its type and ids are as the sender
     * wrote them.
     */
    public void givenUpUnhandled(WireMessage message, PoisonReason reason, Throwable failure) {
        tell(new MessageGivenUp(
                node,
                printable(message.type()),
                printable(message.messageId()),
                printable(message.correlationId()),
                0,
                reason.wireName(),
                failure.getClass().getName(),
                timeline.now()));
    }

    public void takenOver(Envelope message, int takeovers) {
        tell(new MessageTakenOver(
                node,
                message.type(),
                message.id(),
                message.correlationId(),
                message.attempt(),
                takeovers,
                timeline.now()));
    }

    /**
     * Reports a moved copy. Calls the listeners on this thread before it returns, even after the node has stopped: an audit must not miss
     * such an event, even if it is slow.
     *
     * @param to the queue that has the copy now
     */
    public void moved(PoisonOperation operation, String to, WireMessage message) {
        tellAll(new MessageMoved(
                node,
                operation.id(),
                operation.kind().name(),
                operation.request().by(),
                to,
                printable(message.type()),
                printable(message.messageId()),
                printable(message.correlationId()),
                timeline.now()));
    }

    /** Listeners receive one event at a time. */
    private void tellAll(SafeBunnyEvent event) {
        oneByOne.lock();
        try {
            listeners.forEach(listener -> tell(listener, event));
        } finally {
            oneByOne.unlock();
        }
    }

    /** Reports an event. Any failure here, even an error, only loses the event: its message is settled as usual. */
    public void tell(SafeBunnyEvent event) {
        if (listeners.isEmpty() || lastWords != null) {
            return;
        }
        try {
            hand(event);
        } catch (Throwable e) { // probably out of memory, so logging would fail too
            return;
        }
    }

    private void hand(SafeBunnyEvent event) {
        if (places.tryAcquire()) {
            untold.add(event);
            telling.request();
        } else {
            log.tell(
                    DROPPED,
                    event.toString(),
                    () -> LOG.warn("Event {} is dropped: {} events are waiting for listeners", event, MOST_UNTOLD));
        }
    }

    private void tell(Listener listener, SafeBunnyEvent event) {
        boolean interrupted = Thread.interrupted();
        try {
            listener.on(event);
        } catch (Throwable e) { // an error in one listener must not affect the others
            log.tell(FAILED, event.toString(), () -> LOG.warn("A listener failed on {}", event, log.tellable(e)));
        } finally {
            Thread.interrupted(); // an interrupt left behind by one listener would make the next one fail
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void tellUntold() {
        for (SafeBunnyEvent next = untold.poll(); next != null; next = untold.poll()) {
            places.release();
            tellAll(next);
        }
        CompletableFuture<Void> told = lastWords;
        if (told != null) {
            told.complete(null);
        }
    }

    /** Waits up to a second for pending events to be delivered; delivers nothing afterwards. */
    public void stop() {
        if (listeners.isEmpty()) {
            return;
        }
        CompletableFuture<Void> told = new CompletableFuture<>();
        lastWords = told;
        telling.request();
        try {
            timeline.await(told, LAST_WORDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("Listeners are slow: some may not have received the last events", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            telling.stop();
            untold.clear();
        }
    }

    /** Makes foreign text safe for whoever logs the event. */
    private static @Nullable String printable(@Nullable String text) {
        return text == null ? null : Names.printable(text, 255);
    }
}
