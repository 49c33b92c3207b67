// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.MessageContext.Step;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.Next;
import io.safebunny.spi.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message being handled by one engine on this thread, with what was published in its handling so far. Publications of this
 * engine take correlation, causation and marker from it. Confined to one thread.
 */
public final class Handling {

    private final CurrentHandling current;
    private Envelope message;
    private @Nullable String step;
    private boolean closed;
    private long poisonVersion;
    private boolean reopened;
    private final List<OutboundMessage> collected = new ArrayList<>(4);
    private final Map<String, Integer> ordinals = new HashMap<>(4);

    public Handling(CurrentHandling current, Envelope message) {
        this.current = current;
        this.message = message;
    }

    /** Runs the action as part of this handling; then whatever was being handled on this thread before is again. */
    public void run(Next action) throws Exception {
        Handling outer = current.begin(this);
        try {
            action.run();
        } finally {
            current.restore(outer);
        }
    }

    public Envelope message() {
        return message;
    }

    /** The attempt that this delivery is, whatever its header says. */
    public void continueAt(int attempt) {
        message = message.atAttempt(attempt);
    }

    /** The record of the message says in this version that it is set aside. */
    public void setAside(long version) {
        poisonVersion = version;
    }

    /** 0 unless the record of the message is known to say that it is set aside. */
    public long poisonVersion() {
        return poisonVersion;
    }

    /** @return whether it was not yet: in a transaction each attempt reopens its message */
    public boolean reopen() {
        boolean first = !reopened;
        reopened = true;
        return first;
    }

    /** Runs a step that a later attempt may skip, and with it whatever it would have published. */
    public <T, X extends Exception> T withoutPublishing(String name, Step<T, X> action) throws X {
        String surrounding = step;
        step = name;
        try {
            return action.run();
        } finally {
            step = surrounding;
        }
    }

    /** Runs the end of the handling's transaction: what is published by its listeners would come too late to be part of it. */
    public <T> T closed(Supplier<T> end) {
        Handling outer = current.begin(this);
        closed = true;
        try {
            return end.get();
        } finally {
            current.restore(outer);
        }
    }

    /** @throws InvalidPublicationException within a step, and while the transaction is ended */
    void requirePublishing() {
        if (closed) {
            throw new InvalidPublicationException(
                    "The transaction of message %s is being ended: what its listeners publish would come too late to be part of it. Publish before the handler returns."
                            .formatted(message.id()));
        }
        if (step != null) {
            throw new InvalidPublicationException(
                    "Step [%s] publishes: an attempt that skips the step would not. Publish after the step, from its result."
                            .formatted(step));
        }
    }

    /** What was collected, in the order of publishing. */
    public List<OutboundMessage> collected() {
        return List.copyOf(collected);
    }

    void collect(OutboundMessage publication) {
        collected.add(publication);
    }

    /** 1 for the first publication of this type in this handling. */
    int nextOrdinal(String type) {
        return ordinals.merge(type, 1, Integer::sum);
    }

    /**
     * Runs the action as one attempt: when it fails, or is run again, what an earlier attempt published is forgotten and
     * ordinals begin where they began before, so that the same code publishes the same ids.
     */
    public Attempts attempts() {
        return new Attempts(collected.size(), new HashMap<>(ordinals));
    }

    /** The state of a handling before its first attempt. */
    public final class Attempts {
        private final int size;
        private final Map<String, Integer> ordinalsBefore;

        private Attempts(int size, Map<String, Integer> ordinalsBefore) {
            this.size = size;
            this.ordinalsBefore = ordinalsBefore;
        }

        public void startOver() {
            collected.subList(size, collected.size()).clear();
            ordinals.clear();
            ordinals.putAll(ordinalsBefore);
        }
    }
}
