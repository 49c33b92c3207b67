// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.UnknownSagaException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaHandler;
import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Passes a message of the application to its saga. Thread-safe. */
final class MessageInvoker implements HandlerInvoker, Correlation {

    private static final Duration UNTIL_FAILED = Duration.ofMinutes(1);
    private static final Set<SagaStatus> FAILING = EnumSet.of(SagaStatus.COMPENSATING, SagaStatus.COMPENSATION_FAILED);

    private final SagaType type;
    private final SagaHandler handler;

    MessageInvoker(SagaType type, SagaHandler handler) {
        this.type = type;
        this.handler = handler;
    }

    /** The saga is named by the correlation id or, with {@code @CorrelatedBy}, by the payload. */
    @Override
    public Membership of(Envelope message, Object payload) {
        List<SagaType> concerned = handler.onlyStarts() ? List.of() : List.of(type);
        return StickWhenSetAside.of(concerned, message, sagaId(message, payload));
    }

    private String sagaId(Envelope message, Object payload) {
        Function<Object, @Nullable String> correlation = handler.correlation();
        return correlation == null ? message.correlationId() : requireId(correlation.apply(payload));
    }

    /** Not an undo: if it is not refused, it is acknowledged, which its sender may wait for. */
    @Override
    public @Nullable String ignores(
            Envelope message, Object payload, Function<RecordKey, @Nullable MessageRecord> stored) {
        SagaDocument saga = message.undoes() == null ? type.find(sagaId(message, payload), stored) : null;
        if (saga == null || takesMessages(saga)) {
            return null;
        }
        return "Saga %s %s is %s, and takes no more messages".formatted(type.name(), saga.id(), saga.status());
    }

    /** One that does not will never do so again. */
    private static boolean takesMessages(SagaDocument saga) {
        return saga.status() == SagaStatus.ACTIVE || saga.status() == SagaStatus.STUCK;
    }

    private String requireId(@Nullable String id) {
        if (id == null || !Names.isCorrelationId(id)) {
            throw new InvalidMessageException(
                    PoisonReason.MISSING_PROPERTY,
                    "Invalid saga id [handler=%s, id=%s]: @CorrelatedBy must lead to a text that matches [A-Za-z0-9._:-]{1,64}."
                            .formatted(handler.description(), id == null ? "null" : Names.printable(id)));
        }
        return id;
    }

    @Override
    public void invoke(Object payload, MessageContext context) throws Exception {
        SagaVisit visit = type.visit();
        if (visit == null) {
            if (!handler.starts()) {
                throw new UnknownSagaException(type.name(), context.correlationId(), context.type());
            }
            visit = type.begin();
        } else if (!isWanted(visit, context)) {
            return;
        }
        visit.note(new Took(context.type(), context.messageId()).words());
        unblock(visit.saga(), context);
        visit.run(handler.method(), payload, context, null);
        visit.save();
    }

    @Override
    public void check(Object payload) {
        handler.method().check(payload);
    }

    @Override
    public boolean ignoresLate(MessageContext expired) {
        SagaVisit visit = type.visit();
        if (visit == null || takesMessages(visit.saga())) {
            return false;
        }
        ignore(visit, expired, "late");
        return true;
    }

    /** @throws InvalidMessageException {@code saga-stuck} */
    private boolean isWanted(SagaVisit visit, MessageContext context) {
        SagaDocument saga = visit.saga();
        if (saga.status() == SagaStatus.STUCK) {
            if (context.messageId().equals(saga.stuckOn())) { // this is its replay
                visit.goOn();
                if (handler.onlyStarts()) {
                    visit.save();
                    return false;
                }
                return true;
            }
            throw new InvalidMessageException(
                    PoisonReason.SAGA_STUCK,
                    "Saga %s %s is stuck: message %s of it was set aside, and state built over that gap would be wrong. Replay that message, or resume the saga, then replay this one."
                            .formatted(type.name(), saga.id(), saga.stuckOn()));
        }
        if (!takesMessages(saga)) {
            ignore(visit, context, "late");
            return false;
        }
        if (handler.onlyStarts()) {
            ignore(visit, context, "started");
            return false;
        }
        return true;
    }

    /**
     * Ignores a message, and counts it. An undo must not be ignored, because that would acknowledge it as carried out. Only if the saga has
     * failed may it be ignored: the saga has then undone everything itself.
     *
     * @throws NotHandledException if the undo must wait until the saga has failed
     * @throws InvalidMessageException if the saga will never undo what it asks for
     */
    private void ignore(SagaVisit visit, MessageContext context, String why) {
        SagaDocument saga = visit.saga();
        Envelope message = visit.handling().message();
        if (message.undoes() != null && saga.status() != SagaStatus.FAILED) {
            String what = "Saga %s %s is %s".formatted(type.name(), saga.id(), saga.status());
            boolean isOwn = saga.steps().sender(message.id()) != null; // the saga itself waits for its acknowledgement
            if (FAILING.contains(saga.status()) && !isOwn) {
                throw NotHandledException.later(what + ": the undo waits until it has failed", UNTIL_FAILED);
            }
            throw new InvalidMessageException(
                    PoisonReason.HANDLER_FAILED,
                    what
                            + " and ignores this undo, so nothing was undone. Undo by hand what is left, then skip the step in the saga that sent it. To prevent this, make sure that a saga ends only when nobody can undo it any more, and that the handler of an undo takes the state.");
        }
        type.node().metrics().sagaIgnored(type.name(), why);
        if (handler.starts()) {
            SagaLog.notStarted(type.node(), saga, context);
        }
    }

    /**
     * Removes the block of a command to which this message is an answer: it shows that the command was handled after all, unless the answer
     * was sent before the command was set aside.
     */
    private static void unblock(SagaDocument saga, MessageContext context) {
        String cause = context.causationId();
        if (cause != null) {
            saga.steps().answered(cause, context.from(), context.sentAt());
            saga.blocks().answered(cause, context.from(), context.sentAt());
        }
    }
}
