// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.PublishOptions;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.handling.Handling;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.Headers;
import io.safebunny.message.MessageTypes;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaFailed;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaStep.Sending;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates the messages that sagas send. Thread-safe. */
public final class SagaMessages {

    /** Message type of acknowledgements of undos. */
    public static final String UNDONE = MessageTypes.nameOf(BunnyUndone.class);

    public static final String TIMEOUT = MessageTypes.nameOf(BunnyTimeout.class);

    private static final String POISONED = MessageTypes.nameOf(BunnyPoisoned.class);

    private final PipelineBunny publisher;
    private final LibraryMessages library;

    public SagaMessages(PipelineBunny publisher, LibraryMessages library) {
        this.publisher = publisher;
        this.library = library;
    }

    /** Creates a command of the saga without sending it; {@code null} if a middleware dropped it. */
    public @Nullable OutboundMessage command(Object payload, String sagaId, Handling handling) {
        OutboundMessage made = publisher.keepBack(payload, PublishOptions.none().withCorrelationId(sagaId), handling);
        if (made == null) {
            return null;
        }
        Map<String, Object> headers = new LinkedHashMap<>(made.message().headers());
        headers.put(Headers.STEP, true);
        return made.withMessage(made.message().withHeaders(headers));
    }

    /**
     * Creates the undo of a command without sending it; {@code null} if a middleware dropped it. Its id depends only on the step, so
     * however often and by whomever it is sent, it is the same message.
     */
    public @Nullable OutboundMessage undo(Object payload, OutboundMessage command, String sagaId, Handling handling) {
        String step = String.valueOf(command.message().messageId());
        Object key = command.message().headers().get(Headers.ORDER_KEY);
        if (key != null
                && !key.equals(sagaId)) { // the receiver of the undo looks for what it undoes under the saga's id
            throw new InvalidPublicationException(
                    "A step that can be undone has no order key of its own [type=%s, saga=%s]: its undo could not keep it from being handled afterwards. Order it by the id of the saga, which is the default, or give it no undo."
                            .formatted(command.message().type(), sagaId));
        }
        String id = library.id(sagaId, step, MessageTypes.nameOf(payload.getClass()), "undo");
        return publisher.keepBackUndo(payload, sagaId, id, step, handling);
    }

    /**
     * The command, with a watcher that also reports the outcome of the undo: the undo counts as stored, because it is written together with
     * the step.
     */
    public static OutboundMessage together(OutboundMessage command, @Nullable OutboundMessage undo) {
        if (undo == null || undo.watcher() == null) {
            return command;
        }
        return command.watchedBy((outcome, failure) -> {
            command.ended(outcome, failure);
            boolean isKept = outcome != PublishOutcome.DROPPED;
            undo.ended(isKept ? PublishOutcome.STORED : outcome, isKept ? null : failure);
        });
    }

    /**
     * A stored message, for its first sending. It is marked as sent later than it was made, so that it does not keep the original trace
     * open.
     */
    public static OutboundMessage sent(Sending first) {
        return with(sentHeaders(first), first.message());
    }

    /**
     * The same message, to be sent again. Its age counts from the first sending, so that a participant that no longer remembers it sets it
     * aside as too old, instead of handling it again. It has no deadline, because somebody has decided that it is to be handled.
     *
     * @param recordVersion version of the record, according to the copy that was set aside: this message replays that copy. 0 if there is
     *     no record to reopen
     */
    public static OutboundMessage sentAgain(Sending first, Instant now, long recordVersion) {
        Map<String, Object> headers = sentHeaders(first);
        headers.remove(Headers.DEADLINE);
        headers.put(Headers.RESENT_AT, now.toEpochMilli());
        if (recordVersion > 0) {
            headers.put(Headers.POISONED_AT, now.toEpochMilli());
            headers.put(Headers.POISON_VERSION, recordVersion);
        }
        return with(headers, first.message());
    }

    private static Map<String, Object> sentHeaders(Sending sending) {
        Map<String, Object> headers =
                new LinkedHashMap<>(sending.message().message().headers());
        headers.put(Headers.MADE_AT, headers.getOrDefault(Headers.SENT_AT, 0L));
        headers.put(Headers.SENT_AT, sending.at().toEpochMilli());
        return headers;
    }

    private static OutboundMessage with(Map<String, Object> headers, OutboundMessage kept) {
        return new OutboundMessage(kept.message().withHeaders(headers), kept.route(), kept.delay());
    }

    /**
     * The {@linkplain Timeout#token token} of a new timeout.
     *
     * @param cause id of the message that sets it
     * @param number distinguishes several timeouts set by the same message
     */
    public String timeoutToken(SagaDocument saga, String name, String cause, int number) {
        return library.id(saga.id(), cause, TIMEOUT, "%s:%s:%s".formatted(saga.saga(), name, number));
    }

    /** The message that wakes the saga. Its id is the same however often it is sent. */
    public OutboundMessage alarm(String saga, String sagaId, String name, Timeout timeout, Instant now) {
        Instant due = timeout.wakesAt().isBefore(now) ? now : timeout.wakesAt();
        OutboundMessage alarm = library.first(timeout.token(), sagaId, new BunnyTimeout(saga, name), now, due);
        // an instant rather than a delay, because the message may have to wait for the broker before it is sent
        return alarm.deliveredAt(due, alarm.delay());
    }

    /**
     * News that a message was set aside. The id of the news is the same however often it is sent, but new each time the message is set
     * aside.
     */
    public OutboundMessage poisoned(PoisonNews news, String sagaId, Instant now) {
        BunnyPoisoned body = news.body();
        String key = "%s:%s:%s".formatted(body.node(), body.recordVersion(), body.sentAt());
        return news(library.id(sagaId, body.messageId(), POISONED, key), news, sagaId, now);
    }

    /**
     * Repeats the news for a saga that was stuck when the news arrived.
     *
     * @param cause id of the message that makes the saga active again
     */
    public OutboundMessage poisonedAgain(Block block, String cause, String sagaId, Instant now) {
        BlockedOn message = block.message();
        String id = message.messageId();
        BunnyPoisoned body = new BunnyPoisoned(id, message.type(), message.node(), block.recordVersion(), 0, id, true);
        PoisonNews news = new PoisonNews(body, message.reason(), block.setAsideAt(), false);
        return news(library.id(sagaId, cause, POISONED, id + ":" + message.node()), news, sagaId, now);
    }

    /**
     * Repeats the news for the saga that sent the message: this instance does not have that saga's class. All other sagas have received the
     * news.
     *
     * @param cause id of the message that brought the news here
     */
    public OutboundMessage poisonedForSender(PoisonNews told, String cause, String sagaId, Instant now) {
        return news(library.id(sagaId, cause, POISONED, "sender"), told.forSender(), sagaId, now);
    }

    private OutboundMessage news(String id, PoisonNews news, String sagaId, Instant now) {
        OutboundMessage made = library.first(id, sagaId, news.body(), now, now);
        Map<String, Object> headers = new LinkedHashMap<>(made.message().headers());
        headers.putAll(news.headers());
        return new OutboundMessage(made.message().withHeaders(headers), made.route(), made.delay());
    }

    /** @param id a new id, because each repair is a message of its own */
    public OutboundMessage repair(BunnyRepair repair, String id, String sagaId, Instant now) {
        return library.first(id, sagaId, repair, now, now);
    }

    public void failed(SagaDocument saga, Handling handling) {
        OutboundMessage event = publisher.keepBack(
                new SagaFailed(saga.saga(), saga.id(), String.valueOf(saga.reason())),
                PublishOptions.none()
                        .withCorrelationId(saga.id())
                        .withIdempotencyKey("failed " + saga.saga())
                        .droppedIfUnheard(),
                handling);
        if (event != null) {
            handling.collect(event);
        }
    }
}
