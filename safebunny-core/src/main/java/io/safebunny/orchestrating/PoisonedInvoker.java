// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.MessageContext;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaMethod;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.PoisonReason;
import io.safebunny.orchestrating.document.SagaBlocks.Block;
import io.safebunny.orchestrating.document.SagaDocument;
import io.safebunny.orchestrating.document.SagaStep;
import io.safebunny.orchestrating.message.BunnyPoisoned;
import io.safebunny.orchestrating.message.SagaMessages;
import io.safebunny.recovery.UnknownSagaException;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import java.util.Set;

/** The news that a message of a saga was set aside: its command, its undo, or one that was for the saga itself. Thread-safe. */
final class PoisonedInvoker implements HandlerInvoker {

    private static final Set<String> NO_GAP =
            Set.of(PoisonReason.SAGA_STUCK.wireName(), PoisonReason.SET_ASIDE_BEFORE.wireName());

    private final SagaTypes types;
    private final SagaTools tools;
    private final String node;
    private final UnplacedNews unplaced;

    PoisonedInvoker(SagaTypes types, SagaTools tools, UnplacedNews unplaced) {
        this.types = types;
        this.tools = tools;
        this.node = tools.node();
        this.unplaced = unplaced;
    }

    @Override
    public void invoke(Object payload, MessageContext context) throws Exception {
        BunnyPoisoned poisoned = (BunnyPoisoned) payload;
        if (poisoned.saga().equals(BunnyPoisoned.UNPLACED)) {
            unplaced.place(
                    poisoned, types, tools.handling(), context, tools.timeline().now());
            return;
        }
        SagaType type = types.require(poisoned.saga());
        SagaVisit visit = type.visit();
        if (visit == null) {
            throw new UnknownSagaException(type.name(), context.correlationId(), context.type());
        }
        SagaDocument saga = visit.saga();
        if (saga.status().isEnded()) {
            return;
        }
        if (saga.status() == SagaStatus.STUCK && context.messageId().equals(saga.stuckOn())) { // replayed
            visit.goOn();
        }
        String reason = SagaMessages.reasonOf(context);
        saga.note(
                visit.now(),
                "%s %s was set aside by %s: %s"
                        .formatted(poisoned.type(), poisoned.messageId(), poisoned.node(), reason));
        if (poisoned.node().equals(node) && isToItself(type, saga, poisoned)) {
            stick(saga, poisoned, reason);
        } else if (poisoned.node().equals(node) && poisoned.type().equals(SagaMessages.UNDONE)) {
            lackAcknowledgement(saga, poisoned, reason);
        } else if (!MessageTypes.isReserved(poisoned.type()) && !isForAnother(type, poisoned)) {
            block(type, visit, poisoned, reason, context);
        }
        visit.save();
    }

    /** The undo has ended well and the saga does not know it: a person has to replay the acknowledgement, or skip the step. */
    private static void lackAcknowledgement(SagaDocument saga, BunnyPoisoned poisoned, String reason) {
        if (saga.status() == SagaStatus.COMPENSATING || saga.status() == SagaStatus.COMPENSATION_FAILED) {
            saga.blocks().put(new Block(blockedOn(poisoned, reason), poisoned.recordVersion()));
            saga.become(SagaStatus.COMPENSATION_FAILED);
        }
    }

    private static BlockedOn blockedOn(BunnyPoisoned poisoned, String reason) {
        return new BlockedOn(poisoned.messageId(), poisoned.type(), poisoned.node(), reason);
    }

    private static void block(
            SagaType type, SagaVisit visit, BunnyPoisoned poisoned, String reason, MessageContext context)
            throws Exception {
        SagaDocument saga = visit.saga();
        BlockedOn blockedOn = blockedOn(poisoned, reason);
        SagaStep undone = saga.steps().undoneBy(poisoned.messageId());
        if (undone != null && undone.status() != StepStatus.UNDOING) {
            return; // late: it was sent again since, and has succeeded, or was skipped
        }
        saga.blocks().put(new Block(blockedOn, poisoned.recordVersion()));
        if (undone != null) {
            saga.become(SagaStatus.COMPENSATION_FAILED);
        }
        SagaMethod method = type.definition().poisoned();
        if (method != null && saga.status() == SagaStatus.ACTIVE) {
            visit.run(method, null, context, blockedOn);
        }
    }

    /**
     * Most are recorded with the message itself; one that could not even be read is known only from here. News may be late: then the
     * saga may have gone on. What was set aside because the saga was stuck changes nothing, and a copy of what had been set aside before
     * tells nothing that was not decided then.
     */
    private static void stick(SagaDocument saga, BunnyPoisoned poisoned, String reason) {
        if (saga.status() == SagaStatus.ACTIVE && !saga.hasMended(poisoned.messageId()) && !NO_GAP.contains(reason)) {
            saga.stickOn(poisoned.messageId());
        }
    }

    /** A message of ours that its payload, and not its correlation id, assigns to a saga. */
    private boolean isForAnother(SagaType type, BunnyPoisoned poisoned) {
        return poisoned.node().equals(node)
                && type.definition().handlers().stream()
                        .anyMatch(handler -> handler.type().equals(poisoned.type()));
    }

    /** Of a payload that says to which saga it belongs nothing is known here but the correlation id, which is another one's. */
    private static boolean isToItself(SagaType type, SagaDocument saga, BunnyPoisoned poisoned) {
        return saga.timeouts().hasToken(poisoned.messageId())
                || type.definition().handlers().stream()
                        .anyMatch(handler -> handler.type().equals(poisoned.type()) && handler.correlation() == null);
    }
}
