// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.MessageContext;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaMethod;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.message.PoisonReason;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyPoisoned;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.scheduling.OverdueSweep;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The news that a message was set aside. Each saga of its correlation id decides by what is written, and under its version: if it sent the
 * message, it is blocked; if the message was meant for it and is still set aside, it is stuck; otherwise it is not concerned. Thread-safe.
 */
final class PoisonedInvoker implements HandlerInvoker {

    private static final Set<String> NO_GAP =
            Set.of(PoisonReason.SAGA_STUCK.wireName(), PoisonReason.SET_ASIDE_BEFORE.wireName());

    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(30);

    private final SagaTypes types;
    private final SagaTools tools;
    private final OwnRecords records;

    PoisonedInvoker(SagaTypes types, SagaTools tools, OwnRecords records) {
        this.types = types;
        this.tools = tools;
        this.records = records;
    }

    @Override
    public void invoke(Object payload, MessageContext context) throws Exception {
        BunnyPoisoned news = (BunnyPoisoned) payload;
        boolean foundSender = false;
        boolean told = false;
        for (SagaType type : types.all()) {
            SagaVisit visit = type.visit();
            if (visit != null) {
                SagaStep step = visit.saga().steps().sender(news.sent());
                foundSender |= step != null;
                told |= tell(type, visit, step, news, context);
            }
        }
        if (!foundSender) {
            seekSender(news, told, context);
        }
    }

    /**
     * Only another instance may have its class. If others were told, that is written with the completion of this news, so that the search goes on
     * with news for the sender alone.
     */
    private void seekSender(BunnyPoisoned news, boolean told, MessageContext context) {
        Instant now = tools.timeline().now();
        Handling handling = tools.handling();
        if (told) {
            if (!hasNoSender(news)) {
                handling.collect(tools.messages().poisonedForSender(news, context, SagaType.sagaId(handling), now));
            }
            return;
        }
        Instant since = SagaTypes.firstLook(context, now);
        if (SagaTypes.mayBeDeploying(since, now)) {
            throw NotHandledException.later(
                    "%s %s was sent by no saga that this instance has".formatted(news.type(), news.messageId()),
                    OverdueSweep.backOff(SHORTEST_PAUSE, since, now));
        }
    }

    /** A timeout is sent by the saga that has set it; and what comes from other nodes only, by none of ours. */
    private boolean hasNoSender(BunnyPoisoned news) {
        return news.type().equals(SagaMessages.TIMEOUT)
                || (isOurs(news)
                        && types.all().stream()
                                .flatMap(type -> type.definition().handlers().stream())
                                .anyMatch(handler -> handler.type().equals(news.type())
                                        && !handler.from().contains(tools.node().name())));
    }

    /**
     * @param step by which the saga sent the message; {@code null} if it did not
     * @return whether the saga was told, which is yet to be written
     */
    private boolean tell(
            SagaType type, SagaVisit visit, @Nullable SagaStep step, BunnyPoisoned news, MessageContext context)
            throws Exception {
        SagaDocument saga = visit.saga();
        boolean isMeant = isMeantFor(type, saga, news, context.headers());
        if ((step == null && !isMeant)
                || saga.status().isEnded()
                || (news.again() && !saga.blocks().isUntold(news.messageId(), news.node()))) {
            return false;
        }
        if (saga.status() == SagaStatus.STUCK && context.messageId().equals(saga.stuckOn())) { // replayed
            visit.goOn();
        }
        String reason = SagaMessages.reasonOf(context.headers());
        saga.note(
                visit.now(),
                "%s %s was set aside by %s: %s".formatted(news.type(), news.messageId(), news.node(), reason));
        if (isMeant && isGap(saga, news.messageId(), reason)) {
            saga.stickOn(news.messageId());
        }
        if (step != null && isMissed(saga, step, news, SagaMessages.setAsideAtOf(context.headers()))) {
            block(type, visit, step, news, context);
        }
        visit.save();
        return true;
    }

    /**
     * The news itself is set aside: those whom it would have stopped wait for a person, who replays it.
     *
     * @return whether the saga is changed
     */
    boolean setAside(SagaType type, SagaDocument saga, BunnyPoisoned news, Envelope message) {
        Map<String, Object> headers = message.headers();
        String reason = SagaMessages.reasonOf(headers);
        long setAsideAt = SagaMessages.setAsideAtOf(headers);
        SagaStep step = saga.steps().sender(news.sent());
        if (step != null && step.isUndoneBy(news.sent())) {
            boolean isMissed = step.status() == StepStatus.UNDOING && saga.status() == SagaStatus.COMPENSATING;
            if (isMissed) {
                boolean unused = saga.blocks().put(blockOf(news, headers, false));
                saga.become(SagaStatus.COMPENSATION_FAILED);
            }
            return isMissed;
        }
        boolean isMeant = isMeantFor(type, saga, news, headers);
        boolean isStuck = (step != null || (isMeant && mayBeGap(saga, news.messageId(), reason)))
                && StickWhenSetAside.stick(saga, message);
        if (isStuck
                && step != null
                && isCommandMissed(saga, step, news, setAsideAt)) { // its method is tried again when it goes on
            boolean unused = saga.blocks().put(blockOf(news, headers, true));
        }
        return isStuck;
    }

    private boolean mayBeGap(SagaDocument saga, String messageId, String reason) {
        try {
            return isGap(saga, messageId, reason);
        } catch (NotHandledException e) { // its record cannot be read now
            return true;
        }
    }

    /** @param headers of the news */
    private static Block blockOf(BunnyPoisoned news, Map<String, Object> headers, boolean isUntold) {
        BlockedOn message = new BlockedOn(news.messageId(), news.type(), news.node(), SagaMessages.reasonOf(headers));
        return new Block(message, news.recordVersion(), SagaMessages.setAsideAtOf(headers), isUntold);
    }

    private boolean isOurs(BunnyPoisoned news) {
        return news.node().equals(tools.node().name());
    }

    /**
     * Of a payload that says to which saga it belongs nothing is known here but the correlation id, which is another one's.
     *
     * @param headers of the news
     */
    private boolean isMeantFor(SagaType type, SagaDocument saga, BunnyPoisoned news, Map<String, Object> headers) {
        return !SagaMessages.isForSender(headers) && isOurs(news) && takes(type, saga, news);
    }

    private static boolean takes(SagaType type, SagaDocument saga, BunnyPoisoned news) {
        return saga.timeouts().hasToken(news.messageId())
                || type.definition().handlers().stream()
                        .anyMatch(handler -> handler.type().equals(news.type())
                                && handler.correlation() == null
                                && !handler.onlyStarts());
    }

    /**
     * Most are recorded with the message itself; one that could not even be read is known only from here. News may be late: then the
     * saga may have gone on, or the message been handled. What was set aside because the saga was stuck changes nothing, and a copy of
     * what had been set aside before tells nothing that was not decided then.
     */
    private boolean isGap(SagaDocument saga, String messageId, String reason) {
        return saga.status() == SagaStatus.ACTIVE
                && !saga.hasMended(messageId)
                && !NO_GAP.contains(reason)
                && records.isStillSetAside(saga.id(), messageId);
    }

    /** Whether the saga still waits for what it has sent, or for the acknowledgement of it. */
    private boolean isMissed(SagaDocument saga, SagaStep step, BunnyPoisoned news, long setAsideAt) {
        boolean isAcknowledgement = news.type().equals(SagaMessages.UNDONE);
        if (!step.isUndoneBy(news.sent())) {
            return !isAcknowledgement && isCommandMissed(saga, step, news, setAsideAt);
        }
        return step.status() == StepStatus.UNDOING
                && (!isAcknowledgement || (isOurs(news) && records.isStillSetAside(saga.id(), news.messageId())));
    }

    private static boolean isCommandMissed(SagaDocument saga, SagaStep step, BunnyPoisoned news, long setAsideAt) {
        return step.status() == StepStatus.SENT && !saga.steps().isAnswered(news.sent(), news.node(), setAsideAt);
    }

    /** Without its undo, a saga that is undone waits for a person. One that is stuck is told when it goes on. */
    private static void block(SagaType type, SagaVisit visit, SagaStep step, BunnyPoisoned news, MessageContext context)
            throws Exception {
        SagaDocument saga = visit.saga();
        Block block = blockOf(news, context.headers(), saga.status() == SagaStatus.STUCK);
        boolean isNew = saga.blocks().put(block);
        if (step.isUndoneBy(news.sent())) {
            saga.become(SagaStatus.COMPENSATION_FAILED);
        }
        SagaMethod method = type.definition().poisoned();
        if (method != null && isNew && saga.status() == SagaStatus.ACTIVE) {
            visit.run(method, null, context, block.message());
        }
    }
}
