// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.saga.document.SagaTimeout;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What one run of a saga's method does to the saga. Changes the document, which is written if the run succeeds. Confined to one thread. */
final class SagaRun implements SagaContext {

    private static final int LONGEST_NAME = 100;

    /** What is due later is due then, which is as good as never. Further on, sums of times overflow. */
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final SagaDefinition definition;
    private final SagaDocument saga;
    private final SagaMessages messages;
    private final Compensation compensation;
    private final Handling handling;
    private final Instant now;
    private final SagaChanges changes;
    private int timeoutsSet;
    private boolean over;

    SagaRun(
            SagaDefinition definition,
            SagaDocument saga,
            SagaMessages messages,
            Compensation compensation,
            Handling handling,
            Instant now) {
        this.definition = definition;
        this.saga = saga;
        this.messages = messages;
        this.compensation = compensation;
        this.handling = handling;
        this.now = now;
        this.changes = new SagaChanges(saga, handling.transactions());
    }

    /** The method has returned; its context is of no use any more. */
    void end() {
        over = true;
    }

    /** @throws MisuseException what the method did to the saga cannot be told apart from what was rolled back */
    void requireWhole() {
        changes.requireWhole();
    }

    @Override
    public String sagaId() {
        return saga.id();
    }

    @Override
    public void step(String name, Object command, Object undo) {
        send(name, command, undo);
    }

    @Override
    public void step(String name, Object command) {
        send(name, command, null);
    }

    private void send(String name, Object command, @Nullable Object undo) {
        requireActive("step", name);
        if (saga.steps().find(name) != null) {
            throw refused(
                    "step",
                    name,
                    "it has one of that name. Give each step a name of its own, or forget the other first");
        }
        OutboundMessage sent = messages.command(command, saga.id(), handling);
        if (sent == null) {
            throw refused("step", name, "a publish middleware dropped its command. Let commands of sagas through");
        }
        OutboundMessage made = sent;
        try {
            OutboundMessage kept = undo == null ? null : messages.undo(undo, sent, saga.id(), handling);
            if (undo != null && kept == null) {
                throw refused("step", name, "a publish middleware dropped its undo. Let undos of sagas through");
            }
            made = SagaMessages.together(sent, kept);
            if (kept != null && isTakenByItself(kept.message())) {
                throw refused(
                        "step",
                        name,
                        "it would take the undo itself, and takes no messages while it is undone. Let another saga or a plain handler take undos");
            }
            changes.next();
            saga.steps().put(new SagaStep(name, StepStatus.SENT, sent, kept, null)); // first, as it may be refused
        } catch (RuntimeException e) {
            made.ended(PublishOutcome.DROPPED, e);
            throw e;
        }
        handling.collect(made);
        saga.note(now, "step %s: %s".formatted(name, sent.message().type()));
    }

    private boolean isTakenByItself(WireMessage undo) {
        return definition.handlers().stream()
                .anyMatch(handler -> handler.correlation() == null
                        && handler.type().equals(undo.type())
                        && handler.from().contains(undo.appId()));
    }

    @Override
    public boolean forget(String name) {
        requireActive("step", name);
        SagaStep known = saga.steps().find(name);
        if (known != null) {
            changes.next();
            saga.steps().remove(name);
            saga.blocks().remove(known.messageId()); // no repair could name it any more
            saga.note(now, "forgot step " + name);
        }
        return known != null;
    }

    @Override
    public void timeout(String name, Duration after) {
        if (after.isNegative()) {
            throw refused("timeout", name, "its duration is negative [%s]. Use zero for at once".formatted(after));
        }
        set(name, after.compareTo(Duration.between(now, LATEST)) > 0 ? LATEST : now.plus(after));
    }

    @Override
    public void timeoutAt(String name, Instant due) {
        set(name, due.isBefore(now) ? now : due.isAfter(LATEST) ? LATEST : due);
    }

    private void set(String name, Instant due) {
        requireActive("timeout", name);
        if (!definition.timeouts().containsKey(name)) {
            throw refused(
                    "timeout",
                    name,
                    SagaTypes.noMethod(definition, name) + ". Use a name that it has, or add the method");
        }
        changes.next();
        SagaTimeout known = saga.timeouts().get(name);
        if (known != null && !due.isBefore(known.wakesAt())) {
            saga.timeouts()
                    .put(
                            name,
                            new SagaTimeout(
                                    known.token(), due, known.wakesAt())); // its message will see that it is early
        } else {
            arm(name, due);
        }
        saga.note(now, "timeout %s at %s".formatted(name, due));
    }

    /** With a new message: the one before, if there is any, is stale. */
    void arm(String name, Instant due) {
        SagaTimeout set = SagaTimeout.due(
                messages.timeoutToken(saga, name, handling.message().id(), ++timeoutsSet), due, now);
        saga.timeouts().put(name, set);
        handling.collect(messages.alarm(saga.saga(), saga.id(), name, set, now));
    }

    @Override
    public boolean cancelTimeout(String name) {
        requireRunning();
        boolean known = saga.timeouts().get(name) != null;
        if (known) {
            changes.next();
            saga.timeouts().remove(name);
            saga.note(now, "cancelled timeout " + name);
        }
        return known;
    }

    @Override
    public void complete() {
        requireActive("end", "complete");
        changes.next();
        saga.become(SagaStatus.COMPLETED);
        saga.timeouts().clear();
        saga.blocks().clear();
        saga.note(now, "completed");
    }

    @Override
    public void fail(String reason) {
        requireActive("end", "fail");
        if (reason == null) { // as the message of many an exception is
            throw refused("end", "fail", "its reason is null. Say why, for people");
        }
        if (!Names.isUnicode(reason)) {
            throw refused(
                    "end",
                    "fail",
                    "its reason contains an unpaired surrogate (half of a character). Cut text between characters");
        }
        changes.next();
        compensation.begin(saga, reason, handling, now);
    }

    private void requireRunning() {
        handling.transactionEnd()
                .requireNotBegun("Saga %s %s is changed".formatted(saga.saga(), saga.id()), MisuseException.SAGA);
        if (over) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "The context of saga %s %s is used after its handler has returned. Use it only in the handler."
                            .formatted(saga.saga(), saga.id()));
        }
    }

    private void requireActive(String what, String name) {
        requireRunning();
        if (name == null || name.isBlank() || name.length() > LONGEST_NAME || !Names.isUnicode(name)) {
            throw refused(what, name, "its name must have 1 to %s characters, not only blanks".formatted(LONGEST_NAME));
        }
        if (saga.status() != SagaStatus.ACTIVE) {
            throw refused(what, name, "the saga is %s".formatted(saga.status()));
        }
    }

    private MisuseException refused(String what, String name, String why) {
        return new MisuseException(
                MisuseException.SAGA,
                "Refused %s [%s] of saga %s %s: %s."
                        .formatted(what, Names.printable(name), saga.saga(), saga.id(), why));
    }
}
