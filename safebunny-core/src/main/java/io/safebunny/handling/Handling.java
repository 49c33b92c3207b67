// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.MessageContext.Step;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.Next;
import io.safebunny.spi.transport.OutboundMessage;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message being handled by one engine on this thread: which attempt it is, its steps, and what was published so far. Publications
 * of this engine take correlation, causation and marker from it. Confined to one thread.
 */
public final class Handling implements Surrounding {

    private final CurrentHandling current;
    private final Publications publications = new Publications();
    private Envelope message;
    private @Nullable Steps steps;
    private Publications.@Nullable Mark beforeAttempts;
    private boolean ending;
    private @Nullable OpenHandling open;
    private volatile boolean running;
    private long poisonVersion;
    private boolean setAsideByAnother;

    public Handling(CurrentHandling current, Envelope message) {
        this.current = current;
        this.message = message;
    }

    @Override
    public Envelope message() {
        return message;
    }

    /** The record of the message, not its header, says which attempt this is. */
    public void setAttempt(int attempt) {
        message = message.atAttempt(attempt);
    }

    /** The version in which the record of the message says that it is set aside; 0 unless it is known to say so. */
    public long poisonVersion() {
        return poisonVersion;
    }

    public void setPoisonVersion(long version) {
        poisonVersion = version;
    }

    /** Whether another delivery of the message has set it aside, so that this one only adds a copy of it. */
    public boolean isSetAsideByAnother() {
        return setAsideByAnother;
    }

    public void setAsideByAnother() {
        setAsideByAnother = true;
    }

    // ---- running

    /** Like {@link #run(StepStore, Next)}, with steps that are remembered for the attempts of this delivery. */
    public void run(Next action) throws Exception {
        Handling outer = current.begin(this);
        running = true;
        try {
            action.run();
        } catch (Throwable failure) {
            requireUndecided();
            throw failure;
        } finally {
            running = false;
            endOpen();
            current.restore(outer);
        }
        requireUndecided();
    }

    /**
     * Runs the action as part of this handling; then whatever was being handled on this thread before is again.
     *
     * @throws Exception the action's failure, unless a step is in doubt: see {@link #requireUndecided()}
     */
    public void run(StepStore store, Next action) throws Exception {
        steps = new Steps(store);
        run(action);
    }

    /**
     * Runs the handler once. What counts is the last attempt: of an earlier one that was not {@linkplain #undoAttempt undone}, neither
     * publications nor writes in the transaction remain, and ordinals begin where they began before, so that the same code publishes the
     * same ids. What a failed attempt published is forgotten at once.
     *
     * @throws Exception the handler's failure, unless a step is in doubt: see {@link #requireUndecided()}
     */
    public void attempt(Next handler) throws Exception {
        Publications.Mark before = beginAttempt();
        try {
            try {
                handler.run();
            } finally {
                endOpen(); // before anything is counted, or forgotten
            }
            requireUndecided();
        } catch (Throwable failure) {
            publications.returnTo(before);
            requireUndecided();
            throw failure;
        }
    }

    private Publications.Mark beginAttempt() {
        Publications.Mark before = beforeAttempts;
        if (before == null) {
            requireUndecided();
            before = publications.mark();
            beforeAttempts = before;
        } else {
            startOver(before);
        }
        return before;
    }

    /**
     * Undoes an attempt that failed, so that what is done after it has no part in it.
     *
     * @throws RuntimeException how the handling ends, whatever else happens
     */
    public void undoAttempt() {
        Publications.Mark before = beforeAttempts;
        if (before != null) {
            startOver(before);
            beforeAttempts = null;
        }
    }

    private void startOver(Publications.Mark before) {
        try {
            if (steps != null) {
                steps.beginAgain();
            }
        } finally {
            publications.returnTo(before); // last: listeners of the rollback may have published
        }
    }

    /**
     * Whatever the handler, or a middleware around it, makes of the exception it was given: one that wraps it must not bring about a
     * retry, which would repeat a step that has been run, and one that goes on must not complete a message whose step is in doubt.
     *
     * @throws RuntimeException how this handling ends, unless that is the handler's own business
     */
    private void requireUndecided() {
        if (steps != null) {
            steps.requireUndecided();
        }
    }

    /** See {@link io.safebunny.MessageContext#once(String, Class, Step)}. */
    public <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X {
        if (steps == null) {
            steps = new Steps(new InMemorySteps()); // only now: most handlers have none
        }
        return steps.once(name, type, step);
    }

    /** Runs the end of the handling's transaction: what is published by its listeners would come too late to be part of it. */
    public <T> T end(Supplier<T> transaction) {
        Handling outer = current.begin(this);
        ending = true;
        try {
            return transaction.get();
        } finally {
            current.restore(outer);
        }
    }

    // ---- publications

    /** Whether its handler, or a middleware around it, is being run. For any thread. */
    boolean isRunning() {
        return running;
    }

    /** For publications of other threads. Asked for on the handler's own, so that it belongs to this attempt and no later one. */
    public OpenHandling open() {
        requirePublishing();
        OpenHandling known = open;
        if (known == null) {
            known = new OpenHandling(message, publications, () -> steps == null ? null : steps.running());
            open = known;
        }
        return known;
    }

    private void endOpen() {
        if (open != null) {
            open.end();
            open = null;
        }
    }

    /** @throws InvalidPublicationException within a step, and while the transaction is ended */
    @Override
    public void requirePublishing() {
        if (ending) {
            throw new InvalidPublicationException(
                    "The transaction of message %s is being ended: what its listeners publish would come too late to be part of it. Publish before the handler returns."
                            .formatted(message.id()));
        }
        String step = steps == null ? null : steps.running();
        if (step != null) {
            throw new InvalidPublicationException(
                    "Step [%s] publishes: an attempt that skips the step would not. Publish after the step, from its result."
                            .formatted(step));
        }
    }

    @Override
    public void collect(OutboundMessage publication) {
        publications.add(publication);
    }

    /** What was collected, in the order of publishing. */
    public List<OutboundMessage> collected() {
        return publications.all();
    }

    /** Counts: 1 for the first publication of this type in this handling. */
    @Override
    public int nextOrdinal(String type) {
        return publications.nextOrdinal(type);
    }
}
