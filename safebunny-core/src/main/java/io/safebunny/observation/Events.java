// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.SafeBunnyEvent.Listener;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.SafeBunnyEvent.MessageMoved;
import io.safebunny.SafeBunnyEvent.MessagePoisoned;
import io.safebunny.SafeBunnyEvent.MessageTakenOver;
import io.safebunny.message.Envelope;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.time.Timeline;
import io.safebunny.waiting.SerialTask;
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
 * Tells the application's listeners what happened, on a thread of their own: whoever reports an event neither waits for them nor learns of
 * their failures. Thread-safe; no method blocks but {@link #stop} and {@link #moved}, which tells its listeners itself.
 */
public final class Events {

    private static final Logger LOG = LoggerFactory.getLogger(Events.class);

    private static final int MOST_UNTOLD = 10_000;
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private static final Kind FAILED = Kind.warn(LOG, "Listeners of events failed");
    private static final Kind DROPPED = Kind.warn(LOG, "Events are dropped, because their listeners are too slow");

    private final String node;
    private final List<Listener> listeners;
    private final Timeline timeline;
    private final BoundedLog log;
    /** In the order in which things happened. */
    private final Queue<SafeBunnyEvent> untold = new ConcurrentLinkedQueue<>();

    private final Semaphore places = new Semaphore(MOST_UNTOLD);
    private final Lock oneByOne = new ReentrantLock();

    private final SerialTask telling;

    /** Completed when the listeners have been told of everything before it; {@code null} before the stop. */
    private volatile @Nullable CompletableFuture<Void> lastWords;

    /** @param executor runs what may block */
    public Events(String node, List<Listener> listeners, Executor executor, Timeline timeline, BoundedLog log) {
        this.node = node;
        this.listeners = List.copyOf(listeners);
        this.timeline = timeline;
        this.log = log;
        this.telling = new SerialTask("telling listeners of events", this::tellUntold, executor, timeline);
    }

    /**
     * @param queue in which the message was
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

    /** Of a message that was never let in, or that the broker set aside: its type and ids are what the sender wrote. */
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
     * Told before this returns, on this thread, also when the node has stopped: an audit lacks none of them, however slow it is.
     *
     * @param to queue in which the copy is now
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

    /** Listeners hear one event after the other. */
    private void tellAll(SafeBunnyEvent event) {
        oneByOne.lock();
        try {
            listeners.forEach(listener -> tell(listener, event));
        } finally {
            oneByOne.unlock();
        }
    }

    /** Whatever fails here, an error too, costs the event only: its message is to be settled as if nobody had been told. */
    public void tell(SafeBunnyEvent event) {
        if (listeners.isEmpty() || lastWords != null) {
            return;
        }
        try {
            hand(event);
        } catch (Throwable e) { // most likely there is no memory to say so either
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
                    () -> LOG.warn("Nobody is told of {}: {} events wait", event, MOST_UNTOLD));
        }
    }

    private void tell(Listener listener, SafeBunnyEvent event) {
        boolean interrupted = Thread.interrupted();
        try {
            listener.on(event);
        } catch (Throwable e) { // an error of one listener must not silence the others
            log.tell(FAILED, event.toString(), () -> LOG.warn("A listener failed on {}", event, log.tellable(e)));
        } finally {
            Thread.interrupted(); // left behind by one listener, it would fail the next
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

    /** Waits up to a second for the listeners to be told of what has happened so far; they are told of nothing afterwards. */
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
            LOG.debug("Listeners are slow: some may not be told what happened last", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            telling.stop();
            untold.clear();
        }
    }

    /** What a sender wrote must not begin a line of the log of whoever logs the event. */
    private static @Nullable String printable(@Nullable String text) {
        return text == null ? null : Names.printable(text, 255);
    }
}
