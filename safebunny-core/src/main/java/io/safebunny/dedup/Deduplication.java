// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.message.Envelope;
import io.safebunny.observation.Metrics;
import io.safebunny.pipeline.Next;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.Handling;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a message at most once to completion: claim, run, complete with the collected publications, dispatch, mark
 * dispatched. A handler that fails releases its claim and publishes nothing. Thread-safe.
 */
public final class Deduplication {

    private static final Logger LOG = LoggerFactory.getLogger(Deduplication.class);

    /** How soon a delivery comes back that met another one of the same message being handled. */
    private static final Duration BUSY_DELAY = Duration.ofMillis(500);

    private static final Duration NO_ANSWER_DELAY = Duration.ofSeconds(5);

    private final MessageStore store;
    private final ConfirmedSender sender;
    private final Metrics metrics;

    public Deduplication(MessageStore store, ConfirmedSender sender, Metrics metrics) {
        this.store = store;
        this.sender = sender;
        this.metrics = metrics;
    }

    /**
     * Runs the action unless the message was handled before.
     *
     * @throws NotHandledException another delivery of the message is being handled, or the store did not answer
     */
    public void run(Handling handling, Next action) throws Exception {
        MessageRecord claim = claim(handling.message());
        if (claim == null) {
            return;
        }
        try {
            action.run();
        } catch (Throwable failure) {
            release(claim);
            throw failure;
        }
        List<OutboundMessage> outgoing = handling.collected();
        MessageRecord completed = claim.next(RecordState.COMPLETED, claim.owner(), outgoing);
        if (!complete(claim, completed)) {
            throw NotHandledException.later(
                    "Lost the claim of message %s while handling it: its publications are dropped, the new owner's stand"
                            .formatted(handling.message().id()),
                    BUSY_DELAY);
        }
        dispatch(completed);
    }

    /** @return the claim, or {@code null} when the message is done */
    private @Nullable MessageRecord claim(Envelope message) {
        RecordKey key = new RecordKey(message.correlationId(), message.id());
        String owner = UUID.randomUUID().toString();
        MessageRecord fresh = new MessageRecord(key, RecordState.CLAIMED, owner, 1, List.of());
        MessageRecord existing = create(fresh);
        if (existing == null || existing.owner().equals(owner)) {
            return fresh;
        }
        switch (existing.state()) {
            case DISPATCHED -> {
                metrics.duplicateSuppressed(message.type());
                return null;
            }
            case COMPLETED -> {
                metrics.duplicateSuppressed(message.type());
                dispatch(existing);
                return null;
            }
            case RELEASED -> {
                MessageRecord again = existing.next(RecordState.CLAIMED, owner, List.of());
                if (replace(again)) {
                    return again;
                }
            }
            case CLAIMED -> {}
        }
        metrics.duplicateBusy(message.type());
        throw NotHandledException.later(
                "Another delivery of message %s is being handled".formatted(message.id()), BUSY_DELAY);
    }

    private void dispatch(MessageRecord completed) {
        try {
            sender.sendAllAndWait(completed.outgoing());
        } catch (PublishTimeoutException | ConnectionLostException e) { // nothing was tried in vain but the sending
            LOG.warn(
                    "Publications of message {} are not confirmed",
                    completed.key().messageId(),
                    e);
            throw NotHandledException.trouble(
                    "Publications of message %s are not confirmed; they are sent again"
                            .formatted(completed.key().messageId()),
                    NO_ANSWER_DELAY);
        }
        // lost: somebody else dispatched the same messages with the same ids, which is as good
        replace(completed.next(RecordState.DISPATCHED, completed.owner(), List.of()));
    }

    private boolean complete(MessageRecord claim, MessageRecord completed) {
        try {
            return replace(completed);
        } catch (NotHandledException e) {
            release(claim); // no effect when it was completed and only the answer got lost
            throw e;
        }
    }

    private @Nullable MessageRecord create(MessageRecord record) {
        try {
            return store.create(record);
        } catch (RuntimeException e) {
            throw noAnswer(record, e);
        }
    }

    private boolean replace(MessageRecord record) {
        try {
            return store.replace(record);
        } catch (RuntimeException e) {
            throw noAnswer(record, e);
        }
    }

    /** A store that does not answer is not the message's fault: it costs no attempt. */
    private static NotHandledException noAnswer(MessageRecord record, RuntimeException e) {
        String messageId = record.key().messageId();
        LOG.warn("The store did not answer; message {} comes back in {} ms", messageId, NO_ANSWER_DELAY.toMillis(), e);
        return NotHandledException.trouble("The store did not answer for message " + messageId, NO_ANSWER_DELAY);
    }

    private void release(MessageRecord claim) {
        try {
            store.replace(claim.next(RecordState.RELEASED, claim.owner(), List.of()));
        } catch (RuntimeException e) {
            LOG.warn("Could not release the claim of message {}", claim.key().messageId(), e);
        }
    }
}
