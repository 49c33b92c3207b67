// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.MessageContext;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.orchestrating.SagaDocument.Block;
import io.safebunny.recovery.UnknownSagaException;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.spi.serialization.SerializationException;
import io.safebunny.spi.transport.OutboundMessage;
import java.util.ArrayList;
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
                    case RESUME -> resume(visit);
                    case PATCH -> patch(type, visit, repair);
                };
        String what = refusal == null
                ? "%s: %s".formatted(repair.action(), repair.reason())
                : "refused %s (%s): %s".formatted(repair.action(), repair.reason(), refusal);
        LOG.info("Saga {} {}: {}", type.name(), visit.saga().id(), what);
        visit.saga().note(visit.now(), what);
        visit.save();
    }

    /** @return why not; {@code null} when it was done */
    private static @Nullable String retry(SagaVisit visit) {
        SagaDocument saga = visit.saga();
        List<Block> blocks = saga.blocks();
        if (blocks.isEmpty()) {
            return "it is not blocked on a message";
        }
        List<String> others = new ArrayList<>();
        for (Block block : blocks) {
            OutboundMessage sent = sent(saga, block.message().messageId());
            if (sent == null) {
                others.add("%s of %s"
                        .formatted(block.message().messageId(), block.message().node()));
            } else {
                again(visit, sent, block);
            }
        }
        return others.isEmpty()
                ? null
                : "no command or undo of it, to be replayed from the poison queue of its node: " + others;
    }

    /** As it was sent; {@code null} when it is no command or undo of the saga. */
    private static @Nullable OutboundMessage sent(SagaDocument saga, String messageId) {
        for (SagaStep step : saga.steps()) {
            if (step.isUndoneBy(messageId)) {
                return step.undo();
            }
            if (step.messageId().equals(messageId)) {
                return step.command();
            }
        }
        return null;
    }

    private static void again(SagaVisit visit, OutboundMessage sent, Block block) {
        SagaDocument saga = visit.saga();
        String messageId = block.message().messageId();
        visit.handling()
                .collect(
                        block.recordVersion() == 0 // its node has no record that would have to be reopened
                                ? SagaMessages.sentAt(visit.now(), sent)
                                : SagaMessages.replayed(visit.now(), sent, block.recordVersion()));
        saga.unblock(messageId);
        boolean isUndo = saga.steps().stream().anyMatch(step -> step.isUndoneBy(messageId));
        if (isUndo && saga.status() == SagaStatus.COMPENSATION_FAILED) {
            saga.become(SagaStatus.COMPENSATING);
        }
    }

    private static @Nullable String skip(SagaType type, SagaVisit visit, BunnyRepair repair) {
        SagaDocument saga = visit.saga();
        SagaStep step = saga.step(String.valueOf(repair.step()));
        if (step == null) {
            return "it has no step of that name";
        }
        switch (saga.status()) {
            case COMPENSATING, COMPENSATION_FAILED -> {
                if (step.status() == StepStatus.UNDOING) {
                    type.tools().compensation().undone(saga, step, StepStatus.SKIPPED, visit.handling(), visit.now());
                } else if (step.status() == StepStatus.SENT) {
                    saga.put(step.with(StepStatus.SKIPPED));
                }
            }
            case ACTIVE, STUCK -> saga.put(step.with(StepStatus.SKIPPED));
            case COMPLETED, FAILED -> {
                return "it is " + saga.status();
            }
        }
        return null;
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

    private static @Nullable String resume(SagaVisit visit) {
        SagaDocument saga = visit.saga();
        switch (saga.status()) {
            case STUCK -> visit.goOn();
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
            return "it has changed: version %d was expected, it has %d"
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
