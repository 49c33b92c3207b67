// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.Printable;
import io.safebunny.failure.policy.UnknownSagaException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handling.Membership;
import io.safebunny.handling.Membership.SetAsideWrite;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.saga.document.SagaStep.Sending;
import io.safebunny.serialization.SerializationException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repairs a saga as an operator requested. The saga's history shows whether the repair was done or refused. Thread-safe. */
final class RepairInvoker implements HandlerInvoker, Correlation {

    private static final Logger LOG = LoggerFactory.getLogger(RepairInvoker.class);

    private final SagaTypes types;

    RepairInvoker(SagaTypes types) {
        this.types = types;
    }

    @Override
    public Membership of(Envelope message, Object payload) {
        return new Membership(message.correlationId(), SetAsideWrite.NOTHING);
    }

    @Override
    public void invoke(Object payload, MessageContext context) {
        BunnyRepair repair = (BunnyRepair) payload;
        SagaType type = types.require(repair.saga());
        SagaVisit visit = type.visit();
        if (visit == null) {
            throw new UnknownSagaException(type.name(), context.correlationId(), context.type());
        }
        Runnable undo = visit.saga().undo();
        visit.note(repair, repair.done()); // before what comes of it
        String refusal =
                switch (repair.action()) {
                    case RETRY -> retry(visit);
                    case SKIP -> skip(visit, repair);
                    case FAIL -> fail(visit, repair);
                    case RESUME -> resume(visit);
                    case PATCH -> patch(visit, repair);
                };
        String what = refusal == null ? repair.done() : repair.refused(refusal);
        LOG.info(
                "Saga {} {}: {}{}",
                type.name(),
                visit.saga().id(),
                repair.by() == null ? "" : "by " + Printable.text(repair.by()) + ", ",
                Printable.text(what));
        if (refusal == null) {
            visit.save();
        } else {
            undo.run();
            visit.note(repair, what);
            visit.saveNotes();
        }
    }

    /**
     * Sends again the messages that the saga is blocked on: commands while it runs or is stuck, undos while it compensates.
     *
     * @return why the repair was refused; {@code null} if it was done
     */
    private static @Nullable String retry(SagaVisit visit) {
        SagaDocument saga = visit.saga();
        if (saga.status().isEnded()) {
            return "it is " + saga.status();
        }
        List<Block> blocks = saga.blocks().all();
        boolean wantsCommands = saga.status() == SagaStatus.ACTIVE || saga.status() == SagaStatus.STUCK;
        boolean any = false;
        int dropped = 0;
        for (Block block : blocks) {
            Sending sent = sent(saga, block.message().messageId(), wantsCommands);
            if (sent != null && isDropped(block, sent)) {
                dropped++;
            } else if (sent != null) {
                again(visit, sent, block);
                any = true;
            }
        }
        if (any) {
            return null;
        }
        if (blocks.isEmpty()) {
            return "it is not blocked on a message";
        }
        return dropped == blocks.size()
                ? "what it is blocked on has expired or was shredded, and its node has no record that it was set aside: it was dropped, or its copy is in the poison queue of its node; replay that, or skip the step"
                : "it is not blocked on a command or undo that it still wants; replay from the poison queue: "
                        + blocks.stream()
                                .map(block -> "%s of %s"
                                        .formatted(
                                                block.message().messageId(),
                                                block.message().node()))
                                .toList();
    }

    /**
     * Whether its node may have dropped it, so that it would take it for a duplicate. What has no deadline and is said to have expired was set
     * aside because of a time to live on the broker.
     */
    private static boolean isDropped(Block block, Sending sent) {
        String reason = block.message().reason();
        boolean hasExpired = reason.equals(PoisonReason.EXPIRED.wireName())
                && Headers.deadline(sent.message().message().headers()) != 0;
        return block.recordVersion() == 0 && (hasExpired || reason.equals(PoisonReason.SHREDDED.wireName()));
    }

    /** The command or undo with this id; {@code null} if it must not be sent again. */
    private static @Nullable Sending sent(SagaDocument saga, String messageId, boolean wantsCommands) {
        for (SagaStep step : saga.steps().all()) {
            if (step.isUndoneBy(messageId)) {
                return step.status() == StepStatus.UNDOING ? step.undoSending() : null;
            }
            if (step.messageId().equals(messageId)) {
                return wantsCommands && step.status() == StepStatus.SENT ? step.commandSending() : null;
            }
        }
        return null;
    }

    private static void again(SagaVisit visit, Sending first, Block block) {
        SagaDocument saga = visit.saga();
        visit.handling().collect(SagaMessages.sentAgain(first, visit.now(), block.recordVersion()));
        saga.steps().sentAgain(block.message().messageId());
        saga.blocks().remove(block.message().messageId());
        if (saga.status() == SagaStatus.COMPENSATION_FAILED) { // the message sent again is the undo
            saga.become(SagaStatus.COMPENSATING);
        }
    }

    private static @Nullable String skip(SagaVisit visit, BunnyRepair repair) {
        SagaDocument saga = visit.saga();
        SagaStep step = saga.steps().find(String.valueOf(repair.step()));
        if (step == null) {
            return "it has no step of that name";
        }
        if (saga.status().isEnded()) {
            return "it is " + saga.status();
        }
        switch (step.status()) {
            case UNDOING -> new Compensation(visit).undone(step, StepStatus.SKIPPED);
            case SENT -> leave(saga, step);
            case UNDONE, SKIPPED -> {
                return "the step is " + step.status();
            }
        }
        return null;
    }

    private static void leave(SagaDocument saga, SagaStep step) {
        saga.steps().put(step.with(StepStatus.SKIPPED));
        saga.blocks().remove(step.messageId());
    }

    private static @Nullable String fail(SagaVisit visit, BunnyRepair repair) {
        SagaDocument saga = visit.saga();
        if (saga.status() != SagaStatus.ACTIVE && saga.status() != SagaStatus.STUCK) {
            return "it is " + saga.status();
        }
        saga.unstick();
        new Compensation(visit).begin(repair.reason());
        return null;
    }

    private static @Nullable String resume(SagaVisit visit) {
        SagaDocument saga = visit.saga();
        switch (saga.status()) {
            case STUCK -> {
                saga.giveUp();
                visit.goOn();
            }
            case COMPENSATING -> {
                return new Compensation(visit).sendAgain() ? null : "it waits for no undo";
            }
            case COMPENSATION_FAILED -> {
                return retry(visit);
            }
            default -> {
                return "it is " + saga.status();
            }
        }
        return null;
    }

    private static @Nullable String patch(SagaVisit visit, BunnyRepair repair) {
        SagaDocument saga = visit.saga();
        SagaStates states = visit.type().states();
        if (states.areEncrypted() || saga.isStateSealed()) { // the repair has brought the new one in clear
            return "its state is encrypted, and cannot be patched";
        }
        states.requireKnown(saga);
        if (saga.version() != repair.expectedVersion()) {
            return "it has changed: version %s was expected, it has %s"
                    .formatted(repair.expectedVersion(), saga.version());
        }
        try {
            states.replace(saga, states.parsed(String.valueOf(repair.state())));
            return null;
        } catch (SerializationException | MisuseException | InvalidMessageException e) {
            return "the state is refused: " + e.messageWithoutCode();
        }
    }
}
