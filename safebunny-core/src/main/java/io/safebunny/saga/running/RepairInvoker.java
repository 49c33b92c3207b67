// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.Printable;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.recovery.UnknownSagaException;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.saga.document.SagaStep.Sending;
import io.safebunny.serialization.SerializationException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a person asks of a saga. Refused or done, it is in the saga's history. Thread-safe. */
final class RepairInvoker implements HandlerInvoker {

    private static final Logger LOG = LoggerFactory.getLogger(RepairInvoker.class);

    private final SagaTypes types;

    RepairInvoker(SagaTypes types) {
        this.types = types;
    }

    @Override
    public void invoke(Object payload, MessageContext context) {
        BunnyRepair repair = (BunnyRepair) payload;
        SagaType type = types.require(repair.saga());
        SagaVisit visit = type.visit();
        if (visit == null) {
            throw new UnknownSagaException(type.name(), context.correlationId(), context.type());
        }
        String refusal =
                switch (repair.action()) {
                    case RETRY -> retry(visit);
                    case SKIP -> skip(type, visit, repair);
                    case FAIL -> fail(type, visit, repair);
                    case RESUME -> resume(type, visit);
                    case PATCH -> patch(type, visit, repair);
                };
        String what = refusal == null ? repair.done() : repair.refused(refusal);
        LOG.info("Saga {} {}: {}", type.name(), visit.saga().id(), Printable.text(what));
        visit.saga().note(visit.now(), what);
        visit.save();
    }

    /**
     * Commands are sent again only as long as the saga wants them; while it is undone, only undos are.
     *
     * @return why not; {@code null} when it was done
     */
    private static @Nullable String retry(SagaVisit visit) {
        SagaDocument saga = visit.saga();
        if (saga.status().isEnded()) {
            return "it is " + saga.status();
        }
        List<Block> blocks = saga.blocks().all();
        boolean wantsCommands = saga.status() == SagaStatus.ACTIVE || saga.status() == SagaStatus.STUCK;
        boolean any = false;
        for (Block block : blocks) {
            Sending sent = sent(saga, block.message().messageId(), wantsCommands);
            if (sent != null) {
                again(visit, sent, block);
                any = true;
            }
        }
        if (any) {
            return null;
        }
        return blocks.isEmpty()
                ? "it is not blocked on a message"
                : "it is blocked on no command or undo that is to be sent again; replay from the poison queue: "
                        + blocks.stream()
                                .map(block -> "%s of %s"
                                        .formatted(
                                                block.message().messageId(),
                                                block.message().node()))
                                .toList();
    }

    /** First sending of the command or undo with this id; {@code null} if it must not be sent again. */
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
        saga.blocks().remove(block.message().messageId());
        if (saga.status() == SagaStatus.COMPENSATION_FAILED) { // what is sent again then is the undo
            saga.become(SagaStatus.COMPENSATING);
        }
    }

    private static @Nullable String skip(SagaType type, SagaVisit visit, BunnyRepair repair) {
        SagaDocument saga = visit.saga();
        SagaStep step = saga.steps().find(String.valueOf(repair.step()));
        if (step == null) {
            return "it has no step of that name";
        }
        if (saga.status().isEnded()) {
            return "it is " + saga.status();
        }
        switch (step.status()) {
            case UNDOING ->
                type.tools().compensation().undone(saga, step, StepStatus.SKIPPED, visit.handling(), visit.now());
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

    private static @Nullable String fail(SagaType type, SagaVisit visit, BunnyRepair repair) {
        SagaDocument saga = visit.saga();
        if (saga.status() != SagaStatus.ACTIVE && saga.status() != SagaStatus.STUCK) {
            return "it is " + saga.status();
        }
        saga.unstick();
        type.tools().compensation().begin(saga, repair.reason(), visit.handling(), visit.now());
        return null;
    }

    private static @Nullable String resume(SagaType type, SagaVisit visit) {
        SagaDocument saga = visit.saga();
        switch (saga.status()) {
            case STUCK -> visit.goOn();
            case COMPENSATING -> {
                boolean sent = type.tools().compensation().sendAgain(saga, visit.handling(), visit.now());
                return sent ? null : "it waits for no undo";
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

    private static @Nullable String patch(SagaType type, SagaVisit visit, BunnyRepair repair) {
        SagaDocument saga = visit.saga();
        type.states().requireKnown(saga);
        if (saga.version() != repair.expectedVersion()) {
            return "it has changed: version %s was expected, it has %s"
                    .formatted(repair.expectedVersion(), saga.version());
        }
        try {
            type.states().replace(saga, type.states().parsed(String.valueOf(repair.state())));
            return null;
        } catch (SerializationException | MisuseException | InvalidMessageException e) {
            return "the state is refused: " + e.messageWithoutCode();
        }
    }
}
