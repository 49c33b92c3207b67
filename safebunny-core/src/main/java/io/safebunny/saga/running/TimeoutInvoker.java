// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaMethod;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaTimeout;
import java.time.Duration;
import java.time.Instant;

/** The message that wakes a saga, because a timeout may be over. The saga knows whether it is. Thread-safe. */
final class TimeoutInvoker implements HandlerInvoker {

    private final SagaTypes types;

    TimeoutInvoker(SagaTypes types) {
        this.types = types;
    }

    @Override
    public void invoke(Object payload, MessageContext context) throws Exception {
        BunnyTimeout alarm = (BunnyTimeout) payload;
        SagaType type = types.require(alarm.saga());
        SagaVisit visit = type.visit();
        SagaTimeout timeout = visit == null ? null : visit.saga().timeouts().get(alarm.name());
        if (visit == null
                || timeout == null
                || !timeout.token().equals(context.messageId())
                || !goesOn(visit, context)) {
            type.tools().metrics().sagaIgnored(type.name(), "stale");
            return;
        }
        requireNotEarly(type, alarm, timeout, visit.now());
        if (timeout.due().isAfter(visit.now())) { // it was moved
            visit.arm(alarm.name(), timeout.due());
        } else {
            visit.saga().timeouts().remove(alarm.name());
            visit.saga().note(visit.now(), "timeout %s is over".formatted(alarm.name()));
            visit.run(method(type, alarm, context, visit.now()), null, context, null);
        }
        visit.save();
    }

    /**
     * Another instance's clock may be ahead, which sends an alarm that seems late to it. Armed anew here, the timeout would seem late there
     * again; one alarm that waits is all that it sends.
     */
    private static void requireNotEarly(SagaType type, BunnyTimeout alarm, SagaTimeout timeout, Instant now) {
        if (timeout.wakesAt().isAfter(now)) {
            throw NotHandledException.later(
                    "The message of timeout %s of saga %s is early".formatted(alarm.name(), type.name()),
                    Duration.between(now, timeout.wakesAt()));
        }
    }

    /** A saga that is stuck arms its timeouts anew when it goes on, except for one on which it is stuck, which is replayed. */
    private static boolean goesOn(SagaVisit visit, MessageContext context) {
        SagaDocument saga = visit.saga();
        if (saga.status() == SagaStatus.STUCK && context.messageId().equals(saga.stuckOn())) {
            visit.goOn();
        }
        return saga.status() == SagaStatus.ACTIVE;
    }

    /** While instances of two versions run, the timeout may be known to others only. */
    private static SagaMethod method(SagaType type, BunnyTimeout alarm, MessageContext context, Instant now) {
        SagaMethod method = type.definition().timeouts().get(alarm.name());
        if (method == null && SagaTypes.mayBeDeploying(SagaTypes.firstLook(context, now), now)) {
            throw NotHandledException.byThisVersion(
                    "This instance has no method for timeout %s of saga %s: the message waits for an instance that has"
                            .formatted(alarm.name(), type.name()));
        }
        if (method == null) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "Timeout [%s] of saga %s is over: %s. Add the method again, and replay this message."
                            .formatted(alarm.name(), type.name(), SagaTypes.noMethod(type.definition(), alarm.name())));
        }
        return method;
    }
}
