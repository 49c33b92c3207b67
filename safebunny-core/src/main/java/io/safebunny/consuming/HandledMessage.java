// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.dedup.Execution;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.publishing.Handling;
import io.safebunny.publishing.Handling.Attempts;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.IncomingMessage;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One valid message on its way through the consume pipeline. Confined to the thread that handles it. */
final class HandledMessage implements ConsumeContext {

    final Delivery delivery;
    final Handling handling;
    private final Object payload;
    private @Nullable Execution execution;
    private @Nullable Attempts run;
    private @Nullable Throwable failure;
    private Settlement settlement = Settlement.ACKNOWLEDGE;
    private boolean failedBefore;

    HandledMessage(Delivery delivery, Handling handling, Object payload) {
        this.delivery = delivery;
        this.payload = payload;
        this.handling = handling;
    }

    Envelope envelope() {
        return handling.message();
    }

    /** How its handler is run from now on. */
    void executes(Execution by) {
        execution = by;
    }

    /** In memory, unless told otherwise; made when it is needed, as most handlers have no steps. */
    Execution execution() {
        Execution known = execution;
        if (known == null) {
            known = Execution.inMemory(handling);
            execution = known;
        }
        return known;
    }

    /**
     * Before each run of its handler. What counts is the last one: of an earlier one that was not yet {@linkplain #undoRun undone},
     * neither its publications nor its writes in the transaction remain.
     *
     * @throws RuntimeException how the handling ends, whatever else happens
     */
    void beginRun() {
        if (run == null) {
            requireUndecided();
            run = handling.attempts();
        } else {
            startOver(run);
        }
    }

    /** Those of the last run, which failed. */
    void dropPublications() {
        if (run != null) {
            run.startOver();
        }
    }

    /**
     * Undoes a run that failed, in which what is done after it has no part.
     *
     * @throws RuntimeException how the handling ends, whatever else happens
     */
    void undoRun() {
        if (run != null) {
            startOver(run);
            run = null;
        }
    }

    private void startOver(Attempts to) {
        try {
            if (execution != null) {
                execution.beginAgain();
            }
        } finally {
            to.startOver(); // last: listeners of the rollback may have published
        }
    }

    /** @throws RuntimeException how the handling ends, whatever its handler or a middleware made of it */
    void requireUndecided() {
        if (execution != null) {
            execution.requireUndecided();
        }
    }

    /** As delivered, and with the version of its record if that says that the message is set aside. */
    IncomingMessage setAside() {
        IncomingMessage delivered = delivery.message();
        if (handling.poisonVersion() == 0) {
            return delivered;
        }
        Map<String, Object> headers = new LinkedHashMap<>(delivered.message().headers());
        headers.put(Headers.POISON_VERSION, handling.poisonVersion());
        return delivered.withHeaders(headers);
    }

    void failed(@Nullable Throwable cause) {
        failure = cause;
    }

    /** As far as is known, the first time that it fails at all; asked once for each failure. */
    boolean isFirstFailure() {
        boolean first = attempt() == 0 && !failedBefore;
        failedBefore = true;
        return first;
    }

    void endsWith(Settlement how) {
        settlement = how;
    }

    /** How its delivery ends. */
    Settlement settlement() {
        return settlement;
    }

    @Override
    public String toString() {
        return envelope().toString();
    }

    @Override
    public Object payload() {
        return payload;
    }

    @Override
    public String queue() {
        return delivery.message().queue();
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public String messageId() {
        return envelope().id();
    }

    @Override
    public String correlationId() {
        return envelope().correlationId();
    }

    @Override
    public String type() {
        return envelope().type();
    }

    @Override
    public String from() {
        return envelope().node();
    }

    @Override
    public int marker() {
        return envelope().marker();
    }

    @Override
    public @Nullable String causationId() {
        return envelope().causationId();
    }

    @Override
    public int attempt() {
        return envelope().attempt();
    }

    @Override
    public Instant sentAt() {
        return Instant.ofEpochMilli(envelope().sentAt());
    }

    @Override
    public boolean redelivered() {
        return delivery.message().redelivered();
    }

    @Override
    public Map<String, Object> headers() {
        return envelope().headers();
    }

    @Override
    public <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X {
        return execution().once(name, type, step);
    }
}
