// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.dedup.PoisonedRecords;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaMethod;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;
import io.safebunny.message.PoisonReason;
import io.safebunny.node.Node;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyPoisoned;
import io.safebunny.saga.document.PoisonNews;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.scheduling.OverdueSweep;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the news that a message was set aside to each saga of the correlation id. The saga's document decides: if the saga sent the
 * message, it is blocked. If it should have received the message, and the message is still set aside, it is stuck. Otherwise the news does
 * not concern it. Thread-safe.
 */
final class PoisonedInvoker implements HandlerInvoker, Correlation {

    /**
     * A message that is set aside for one of these reasons leaves no gap in the saga: the saga was stuck already, or has already decided
     * about an earlier copy.
     */
    private static final Set<String> NO_GAP =
            Set.of(PoisonReason.SAGA_STUCK.wireName(), PoisonReason.SET_ASIDE_BEFORE.wireName());

    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration UNTIL_UPGRADED = Duration.ofMinutes(1);
    private static final Duration UNTIL_STORE_ANSWERS = Duration.ofSeconds(5);

    private final SagaTypes types;
    private final SagaMessages messages;
    private final Node node;
    private final PoisonedRecords records;

    PoisonedInvoker(SagaTypes types, SagaMessages messages, Node node, PoisonedRecords records) {
        this.types = types;
        this.messages = messages;
        this.node = node;
        this.records = records;
    }

    @Override
    public Membership of(Envelope message, Object payload) {
        PoisonNews news = PoisonNews.read((BunnyPoisoned) payload, message.headers());
        String sagaId = message.correlationId();
        return new Membership(
                sagaId,
                new StickWhenSetAside(
                        types.all(), (type, saga) -> setAside(type, saga, news, message), message, sagaId));
    }

    @Override
    public void invoke(Object payload, MessageContext context) throws Exception {
        PoisonNews news = PoisonNews.read((BunnyPoisoned) payload, context.headers());
        boolean foundSender = false;
        boolean told = false;
        for (SagaType type : types.all()) {
            SagaVisit visit = type.visit();
            if (visit != null) {
                SagaStep step = visit.saga().steps().sender(news.body().sent());
                foundSender |= step != null;
                told |= tell(visit, step, news, context);
            }
        }
        if (!foundSender) {
            seekSender(news, told, context);
        }
    }

    /**
     * Looks for the saga that sent the message, because only another instance may have its class. If this message has changed other sagas,
     * it must complete, so that they are written; then the search goes on with news for the sender alone.
     */
    private void seekSender(PoisonNews news, boolean told, MessageContext context) {
        Instant now = node.timeline().now();
        if (told) {
            if (!hasNoSender(news.body())) {
                Handling handling = SagaType.handling(node);
                handling.collect(messages.poisonedForSender(news, context.messageId(), SagaType.sagaId(handling), now));
            }
            return;
        }
        Instant since = SagaTypes.firstLook(context, now);
        if (SagaTypes.mayBeDeploying(since, now)) {
            throw NotHandledException.later(
                    "%s %s was sent by no saga that this instance has"
                            .formatted(news.body().type(), news.body().messageId()),
                    OverdueSweep.backOff(SHORTEST_PAUSE, since, now));
        }
    }

    /** Whether there is no sending saga to look for: none sends alarms, or messages that this node takes only from other nodes. */
    private boolean hasNoSender(BunnyPoisoned message) {
        return message.type().equals(SagaMessages.TIMEOUT)
                || (isOurs(message)
                        && types.all().stream()
                                .flatMap(type -> type.definition().handlers().stream())
                                .anyMatch(handler -> handler.type().equals(message.type())
                                        && !handler.from().contains(node.name())));
    }

    /**
     * @param step the step with which the saga sent the message; {@code null} if it did not
     * @return whether the news changed the saga; the change is yet to be written
     */
    private boolean tell(SagaVisit visit, @Nullable SagaStep step, PoisonNews news, MessageContext context)
            throws Exception {
        SagaDocument saga = visit.saga();
        BunnyPoisoned message = news.body();
        boolean isReceiver = isReceiver(visit.type(), saga, news);
        if ((step == null && !isReceiver)
                || saga.status().isEnded()
                || (message.again() && !saga.blocks().isUntold(message.messageId(), message.node()))) {
            return false;
        }
        if (saga.status() == SagaStatus.STUCK && context.messageId().equals(saga.stuckOn())) { // its replay
            visit.goOn();
        }
        visit.note(new SetAside(new BlockedOn(message.messageId(), message.type(), message.node(), news.reason()))
                .words());
        if (isReceiver && isGap(saga, news)) {
            saga.stickOn(message.messageId(), null); // the news does not have it
        }
        if (step != null && isMissed(saga, step, news)) {
            block(visit, step, news, context);
        }
        visit.save();
        return true;
    }

    /**
     * Called when the news itself is set aside: the sagas that it would have stopped wait for an operator to replay it.
     *
     * @return whether the saga is changed
     */
    private boolean setAside(SagaType type, SagaDocument saga, PoisonNews news, Envelope message) {
        SagaStep step = saga.steps().sender(news.body().sent());
        if (step != null && step.isUndoneBy(news.body().sent())) {
            boolean isMissed = step.status() == StepStatus.UNDOING && saga.status() == SagaStatus.COMPENSATING;
            if (isMissed) {
                var unused = saga.blocks().put(news.block(false));
                saga.become(SagaStatus.COMPENSATION_FAILED);
            }
            return isMissed;
        }
        boolean isStuck = (step != null || (isReceiver(type, saga, news) && mayBeGap(saga, news)))
                && StickWhenSetAside.stick(saga, message);
        if (isStuck && step != null && isCommandMissed(saga, step, news)) { // OnPoisoned runs when the saga goes on
            var unused = saga.blocks().put(news.block(true));
        }
        return isStuck;
    }

    private boolean isOurs(BunnyPoisoned message) {
        return message.node().equals(node.name());
    }

    /**
     * Whether the saga should have received the message. False for a handler with {@code @CorrelatedBy}, because it is not known: the
     * payload names the saga, but the news has only the correlation id.
     */
    private boolean isReceiver(SagaType type, SagaDocument saga, PoisonNews news) {
        return !news.isForSender() && isOurs(news.body()) && takes(type, saga, news.body());
    }

    private static boolean takes(SagaType type, SagaDocument saga, BunnyPoisoned message) {
        return saga.timeouts().hasToken(message.messageId())
                || type.definition().handlers().stream()
                        .anyMatch(handler -> handler.type().equals(message.type())
                                && handler.correlation() == null
                                && !handler.onlyStarts());
    }

    /**
     * Whether the saga lacks the message. Usually the saga was already marked when the message's record was written; only if the message
     * could not even be read does the saga learn of it here. The news may be late: the saga may have gone on, or the message may have been
     * handled.
     */
    private boolean isGap(SagaDocument saga, PoisonNews news) {
        return saga.status() == SagaStatus.ACTIVE
                && !saga.hasMended(news.body().messageId())
                && !NO_GAP.contains(news.reason())
                && isStillSetAside(saga.id(), news.body().messageId());
    }

    private boolean mayBeGap(SagaDocument saga, PoisonNews news) {
        try {
            return isGap(saga, news);
        } catch (NotHandledException e) { // the record cannot be read now
            return true;
        }
    }

    /**
     * Whether the message has not been handled since it was set aside, and is not being handled. A message that could not be read has no
     * record.
     *
     * @throws NotHandledException if the store did not answer, or a newer version of SafeBunny wrote the record
     */
    private boolean isStillSetAside(String sagaId, String messageId) {
        try {
            MessageRecord record = records.find(new RecordKey(sagaId, messageId));
            return record == null || record.state() == RecordState.POISONED;
        } catch (UnreadableRecordException e) {
            throw NotHandledException.later(e.messageWithoutCode(), UNTIL_UPGRADED);
        } catch (RuntimeException e) {
            throw NotHandledException.trouble("The store did not answer for message " + messageId, UNTIL_STORE_ANSWERS);
        }
    }

    /** Whether the saga still waits for the command or undo that it sent, or for the acknowledgement of that undo. */
    private boolean isMissed(SagaDocument saga, SagaStep step, PoisonNews news) {
        BunnyPoisoned message = news.body();
        boolean isAcknowledgement = message.type().equals(SagaMessages.UNDONE);
        if (!step.isUndoneBy(message.sent())) {
            return !isAcknowledgement && isCommandMissed(saga, step, news);
        }
        return step.status() == StepStatus.UNDOING
                && (!isAcknowledgement || (isOurs(message) && isStillSetAside(saga.id(), message.messageId())));
    }

    private static boolean isCommandMissed(SagaDocument saga, SagaStep step, PoisonNews news) {
        return step.status() == StepStatus.SENT
                && !saga.steps().isAnswered(news.body().sent(), news.body().node(), news.setAsideAt());
    }

    /**
     * Adds a block to the saga. If an undo was set aside, the compensation then waits for an operator. A stuck saga handles the block when
     * it goes on.
     */
    private static void block(SagaVisit visit, SagaStep step, PoisonNews news, MessageContext context)
            throws Exception {
        SagaDocument saga = visit.saga();
        Block block = news.block(saga.status() == SagaStatus.STUCK);
        BlockedOn blockedOn = saga.blocks().put(block);
        if (step.isUndoneBy(news.body().sent())) {
            saga.become(SagaStatus.COMPENSATION_FAILED);
        }
        SagaMethod method = visit.type().definition().blocked(news.reason());
        if (blockedOn != null && saga.status() == SagaStatus.ACTIVE) {
            if (visit.isErased()) {
                visit.note("nobody is told, because its person was erased");
                SagaLog.blocked(visit.type().node(), saga);
            } else if (method == null) {
                SagaLog.blocked(visit.type().node(), saga);
            } else {
                visit.run(method, null, context, blockedOn);
            }
        }
    }
}
