// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaHistory.SentStep;
import io.safebunny.saga.document.SagaHistory.TimedOut;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One run of a saga's method. It changes the document, which is written if the run succeeds. Confined to one thread. */
final class SagaRun implements SagaContext {

    private static final int LONGEST_NAME = 100;

    /** Later times are replaced by this one, which is as good as never. With times beyond it, sums would overflow. */
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final SagaVisit visit;
    private final SagaDocument saga;
    private final SagaType type;
    private final SagaChanges changes;
    private boolean over;

    SagaRun(SagaVisit visit) {
        this.visit = visit;
        this.saga = visit.saga();
        this.type = visit.type();
        this.changes = new SagaChanges(saga, visit.handling().transactions());
    }

    /** Call when the method has returned: its context must not be used any more. */
    void end() {
        over = true;
    }

    /** @throws MisuseException if only some of the method's changes of the saga were rolled back */
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
        OutboundMessage sent = type.messages().command(command, saga.id(), visit.handling());
        if (sent == null) {
            throw refused("step", name, "a publish middleware dropped its command. Let commands of sagas through");
        }
        OutboundMessage made = sent;
        try {
            OutboundMessage kept = undo == null ? null : type.messages().undo(undo, sent, saga.id(), visit.handling());
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
            // added before the command is sent, because there may be no room for the step
            saga.steps().put(new SagaStep(name, StepStatus.SENT, sent, kept, null));
        } catch (RuntimeException e) {
            made.ended(PublishOutcome.DROPPED, e);
            throw e;
        }
        visit.handling().collect(made);
        visit.note(new SentStep(name, String.valueOf(sent.message().type())).words());
    }

    private boolean isTakenByItself(WireMessage undo) {
        return type.definition().handlers().stream()
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
            saga.blocks().remove(known.messageId()); // a block needs its step, which is gone
            visit.note("forgot step " + name);
        }
        return known != null;
    }

    @Override
    public void timeout(String name, Duration after) {
        if (after.isNegative()) {
            throw refused("timeout", name, "its duration is negative [%s]. Use zero for at once".formatted(after));
        }
        Instant now = visit.now();
        set(name, after.compareTo(Duration.between(now, LATEST)) > 0 ? LATEST : now.plus(after));
    }

    @Override
    public void timeoutAt(String name, Instant due) {
        Instant now = visit.now();
        set(name, due.isBefore(now) ? now : due.isAfter(LATEST) ? LATEST : due);
    }

    private void set(String name, Instant due) {
        requireActive("timeout", name);
        if (!type.definition().timeouts().containsKey(name)) {
            throw refused("timeout", name, type.noMethodFor(name) + ". Use a name that it has, or add the method");
        }
        changes.next();
        Timeout known = saga.timeouts().get(name);
        if (known != null && !due.isBefore(known.wakesAt())) { // the alarm on its way comes early; another follows
            saga.timeouts().put(name, new Timeout(known.token(), due, known.wakesAt()));
        } else {
            visit.arm(name, due);
        }
        visit.note(TimedOut.set(name, due));
    }

    @Override
    public boolean cancelTimeout(String name) {
        requireRunning();
        boolean known = saga.timeouts().get(name) != null;
        if (known) {
            changes.next();
            saga.timeouts().remove(name);
            visit.note("cancelled timeout " + name);
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
        visit.note("completed");
    }

    @Override
    public void fail(String reason) {
        requireActive("end", "fail");
        if (reason == null) { // as the message of an exception often is
            throw refused("end", "fail", "its reason is null. Give one that people understand");
        }
        if (!Names.isUnicode(reason)) {
            throw refused(
                    "end",
                    "fail",
                    "its reason contains an unpaired surrogate (half of a character). Cut text between characters");
        }
        changes.next();
        new Compensation(visit).begin(reason);
    }

    private void requireRunning() {
        visit.handling()
                .transactionEnd()
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
