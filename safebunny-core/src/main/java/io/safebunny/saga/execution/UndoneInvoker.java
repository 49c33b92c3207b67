// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.UnknownSagaException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handling.Membership;
import io.safebunny.handling.Membership.SetAsideWrite;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.Envelope;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Passes a participant's acknowledgement of an undo to its saga. Thread-safe. */
final class UndoneInvoker implements HandlerInvoker, Correlation {

    private final SagaTypes types;
    private final Node node;

    UndoneInvoker(SagaTypes types, Node node) {
        this.types = types;
        this.node = node;
    }

    @Override
    public Membership of(Envelope message, Object payload) {
        return new Membership(message.correlationId(), SetAsideWrite.NOTHING);
    }

    @Override
    public @Nullable String ignores(
            Envelope message, Object payload, Function<RecordKey, @Nullable MessageRecord> stored) {
        BunnyUndone undone = (BunnyUndone) payload;
        for (SagaType type : types.all()) {
            SagaDocument saga = type.find(message.correlationId(), stored);
            SagaStep step = saga == null ? null : step(saga, undone);
            if (saga != null && step != null) {
                return step.status() == StepStatus.UNDOING
                        ? null
                        : "Step %s of saga %s %s is %s, and waits for no acknowledgement"
                                .formatted(Names.printable(step.name()), type.name(), saga.id(), step.status());
            }
        }
        return null;
    }

    private static @Nullable SagaStep step(SagaDocument saga, BunnyUndone undone) {
        return saga.steps().all().stream()
                .filter(step -> step.messageId().equals(undone.step()))
                .findFirst()
                .orElse(null);
    }

    @Override
    public void invoke(Object payload, MessageContext context) {
        BunnyUndone undone = (BunnyUndone) payload;
        if (!undone.saga().equals(node.name())) {
            return; // for the saga of another node, with the same participant
        }
        for (SagaType type : types.all()) {
            SagaVisit visit = type.visit();
            if (visit != null && acknowledge(visit, undone)) {
                return;
            }
        }
        if (SagaTypes.mayBeDeploying(context, node.timeline().now())) {
            throw NotHandledException.byThisVersion(
                    "This instance has no saga with step %s: its acknowledgement waits for an instance that has"
                            .formatted(undone.step()));
        }
        throw new UnknownSagaException("with step " + undone.step(), context.correlationId(), context.type());
    }

    private static boolean acknowledge(SagaVisit visit, BunnyUndone undone) {
        SagaStep step = step(visit.saga(), undone);
        if (step == null) {
            return false;
        }
        if (step.status() == StepStatus.UNDOING) {
            visit.note("undone: step " + step.name());
            new Compensation(visit).undone(step, StepStatus.UNDONE);
        }
        // even if unchanged: if the saga that was read is stale,
        // this write is overtaken, and the message is handled again
        visit.save();
        return true;
    }
}
