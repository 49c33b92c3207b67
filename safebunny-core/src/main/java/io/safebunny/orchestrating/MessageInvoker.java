// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.MessageContext;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaHandler;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.orchestrating.document.SagaDocument;
import io.safebunny.recovery.UnknownSagaException;
import io.safebunny.saga.SagaStatus;

/** A message of the application to its saga. Thread-safe. */
final class MessageInvoker implements HandlerInvoker {

    private final SagaType type;
    private final SagaHandler handler;

    MessageInvoker(SagaType type, SagaHandler handler) {
        this.type = type;
        this.handler = handler;
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
        visit.saga().note(visit.now(), "took %s %s".formatted(context.type(), context.messageId()));
        unblock(visit.saga(), context);
        visit.run(handler.method(), payload, context, null);
        visit.save();
    }

    /** @throws InvalidMessageException {@code saga-stuck} */
    private boolean isWanted(SagaVisit visit, MessageContext context) {
        SagaDocument saga = visit.saga();
        if (saga.status() == SagaStatus.STUCK) {
            if (context.messageId().equals(saga.stuckOn())) { // replayed
                visit.goOn();
                if (startsAnew()) {
                    visit.save();
                    return false;
                }
                return true;
            }
            // written after a resume, it would stop the saga again for a message that changed nothing
            visit.handling().records().whenSetAside(stored -> null);
            throw new InvalidMessageException(
                    PoisonReason.SAGA_STUCK,
                    "Saga %s %s is stuck: message %s of it was set aside, and state built over that gap would be wrong. Replay that message, or resume the saga, then replay this one."
                            .formatted(type.name(), saga.id(), saga.stuckOn()));
        }
        if (saga.status() != SagaStatus.ACTIVE) {
            type.tools().metrics().sagaIgnored(type.name(), "late");
            return false;
        }
        if (startsAnew()) {
            type.tools().metrics().sagaIgnored(type.name(), "started");
            return false;
        }
        return true;
    }

    /** Whether it can only start a saga, and not be taken by one that exists. */
    private boolean startsAnew() {
        return handler.starts() && !handler.takesState();
    }

    /** An answer to a message on which the saga was blocked shows that somebody has replayed it. */
    private static void unblock(SagaDocument saga, MessageContext context) {
        String cause = context.causationId();
        if (cause != null) {
            saga.steps().answered(cause, context.from());
            saga.blocks().remove(cause);
        }
    }
}
