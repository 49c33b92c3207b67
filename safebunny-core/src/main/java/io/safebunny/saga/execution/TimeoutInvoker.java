// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaMethod;
import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;
import io.safebunny.message.Names;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaHistory.TimedOut;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Handles the alarm of a timeout. The stored saga, not the alarm, decides whether the timeout is over. Thread-safe. */
final class TimeoutInvoker implements HandlerInvoker, Correlation {

    private final SagaTypes types;

    TimeoutInvoker(SagaTypes types) {
        this.types = types;
    }

    @Override
    public Membership of(Envelope message, Object alarm) {
        SagaType type = types.find(((BunnyTimeout) alarm).saga());
        return StickWhenSetAside.of(type == null ? List.of() : List.of(type), message, message.correlationId());
    }

    @Override
    public @Nullable String ignores(
            Envelope message, Object payload, Function<RecordKey, @Nullable MessageRecord> stored) {
        BunnyTimeout alarm = (BunnyTimeout) payload;
        SagaType type = types.find(alarm.saga());
        SagaDocument saga = type == null ? null : type.find(message.correlationId(), stored);
        if (saga == null || isAwaited(saga, alarm, message.id())) {
            return null;
        }
        return "Saga %s %s is %s, and waits no more for this alarm of its timeout %s"
                .formatted(alarm.saga(), saga.id(), saga.status(), Names.printable(alarm.name()));
    }

    private static boolean isAwaited(SagaDocument saga, BunnyTimeout alarm, String messageId) {
        Timeout timeout = saga.timeouts().get(alarm.name());
        return timeout != null && timeout.token().equals(messageId);
    }

    @Override
    public void invoke(Object payload, MessageContext context) throws Exception {
        BunnyTimeout alarm = (BunnyTimeout) payload;
        SagaType type = types.require(alarm.saga());
        SagaVisit visit = type.visit();
        Timeout timeout = visit == null ? null : visit.saga().timeouts().get(alarm.name());
        if (visit == null
                || timeout == null
                || !isAwaited(visit.saga(), alarm, context.messageId())
                || !goesOn(visit, context)) {
            type.node().metrics().sagaIgnored(type.name(), "stale");
            return;
        }
        requireNotEarly(visit, alarm, timeout);
        if (timeout.due().isAfter(visit.now())) { // the timeout was moved
            visit.arm(alarm.name(), timeout.due());
        } else {
            visit.saga().timeouts().remove(alarm.name());
            visit.note(new TimedOut(alarm.name()).words());
            if (visit.isErased()) { // it must end, or it would be sent again and again
                visit.note("nobody is told, because its person was erased");
            } else {
                visit.run(method(visit, alarm, context), null, context, null);
            }
        }
        visit.save();
    }

    /**
     * Postpones an alarm that came too early: an instance whose clock is ahead thought it was lost, and sent it again. Arming the timeout
     * again would make that instance send yet another alarm.
     */
    private static void requireNotEarly(SagaVisit visit, BunnyTimeout alarm, Timeout timeout) {
        if (timeout.wakesAt().isAfter(visit.now())) {
            throw NotHandledException.later(
                    "The message of timeout %s of saga %s is early"
                            .formatted(alarm.name(), visit.type().name()),
                    Duration.between(visit.now(), timeout.wakesAt()));
        }
    }

    /**
     * Whether the saga handles the alarm. A stuck saga does not, and arms its timeouts again when it goes on. The exception is a replay of
     * the alarm that it is stuck on, which makes the saga go on.
     */
    private static boolean goesOn(SagaVisit visit, MessageContext context) {
        SagaDocument saga = visit.saga();
        if (saga.status() == SagaStatus.STUCK && context.messageId().equals(saga.stuckOn())) {
            visit.goOn();
        }
        return saga.status() == SagaStatus.ACTIVE;
    }

    /** @throws NotHandledException if only other instances may have the method, because two versions of the application are running */
    private static SagaMethod method(SagaVisit visit, BunnyTimeout alarm, MessageContext context) {
        SagaType type = visit.type();
        SagaMethod method = type.definition().timeouts().get(alarm.name());
        if (method == null && SagaTypes.mayBeDeploying(context, visit.now())) {
            throw NotHandledException.byThisVersion(
                    "This instance has no method for timeout %s of saga %s: the message waits for an instance that has"
                            .formatted(alarm.name(), type.name()));
        }
        if (method == null) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "Timeout [%s] of saga %s is over: %s. Add the method again, and replay this message."
                            .formatted(alarm.name(), type.name(), type.noMethodFor(alarm.name())));
        }
        return method;
    }
}
