// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.dedup.PoisonedRecords;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.poison.queue.PoisonDigest;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordState;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.time.Timeline;
import io.safebunny.validation.MessageInspector;
import io.safebunny.validation.MessageInspector.Inspected;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Judges whether a copy may get another body, and makes the copy that has it. Thread-safe. */
final class Edits {

    /** What a node writes on a poison copy, besides what any copy of a message keeps. */
    private static final List<String> OF_POISON_COPIES = List.of(
            Headers.POISON_REASON,
            Headers.POISON_QUEUE,
            Headers.POISONED_AT,
            Headers.ORIGINAL_EXCHANGE,
            Headers.ORIGINAL_ROUTING_KEY,
            Headers.EXCEPTION_TYPE,
            Headers.EXCEPTION_MESSAGE,
            Headers.EXCEPTION_STACKTRACE);

    private final PoisonReader reader;
    private final @Nullable PoisonedRecords records;
    private final Timeline timeline;

    /** @param store {@code null} when handled messages are not remembered */
    Edits(PoisonReader reader, @Nullable MessageStore store, Timeline timeline) {
        this.reader = reader;
        this.timeline = timeline;
        this.records = store == null ? null : new PoisonedRecords(store);
    }

    /**
     * A copy with another body.
     *
     * @param wire to be sent to the poison queue
     * @param unedited what it was; {@code null} when it cannot be decoded
     * @param record to be stored once it is there; {@code null} where there is no store
     */
    record Edited(
            WireMessage wire,
            @Nullable Envelope unedited,
            @Nullable MessageRecord record) {

        Verdict verdict() {
            return record == null ? Verdict.REPEATS : Verdict.RUN;
        }
    }

    /**
     * Asks the store, so it may block.
     *
     * @param owner of the record
     * @throws MisuseException SB-5014 when the copy may not be edited, or not so; SB-5016 when something else happened to the message meanwhile
     * @throws BrowsingException SB-5015 when it cannot be read just now
     */
    Edited edit(WireMessage copy, byte[] body, String owner) {
        MessageInspector queue = reader.inspectorOf(copy);
        String refusal = reader.refusal(copy, queue);
        if (refusal != null || queue == null) {
            throw refused(copy, String.valueOf(refusal));
        }
        if (MessageTypes.isReserved(String.valueOf(copy.type()))) {
            throw refused(copy, "It is one of SafeBunny's own messages, whose bodies are nobody else's to write.");
        }
        Map<String, Object> headers = headers(copy);
        Inspected edited = inspected(queue, plain(copy, headers, body));
        WireMessage before = PoisonReader.replayed(copy);
        requireSameSaga(queue, before, edited);
        Envelope unedited = decoded(queue, before);
        MessageRecord record = records == null ? null : next(records, copy, unedited, edited, owner);
        headers.remove(Headers.POISON_VERSION);
        if (record != null) {
            headers.put(Headers.POISON_VERSION, record.version());
            headers.put(Headers.POISONED_AT, timeline.now().toEpochMilli()); // the record is kept from now on
        }
        WireMessage wire = plain(copy, headers, body);
        headers.put(Headers.POISON_DIGEST, PoisonDigest.of(wire));
        return new Edited(wire, unedited, record);
    }

    /** @return false when another version is stored by now, so that the edited copy is not handled */
    boolean store(Edited edited) {
        return records == null || edited.record == null || records.write(edited.record, edited.unedited);
    }

    private static MessageRecord next(
            PoisonedRecords records, WireMessage copy, @Nullable Envelope unedited, Inspected edited, String owner) {
        MessageRecord stored = stored(records, copy, edited);
        Judgement judgement = Judgement.of(
                stored,
                stored == null || (unedited != null && stored.fingerprint().isOf(unedited)),
                unedited == null ? 0 : unedited.poisonVersion(),
                // a silent claim counts as busy here: a replay may take it over, an edit must not
                false,
                edited.tooOld());
        switch (judgement.verdict()) {
            case RUN -> {}
            case BUSY ->
                throw overtaken(
                        copy,
                        "Another delivery of it is being handled, or has ended without writing down how: replay it as it is after safebunny.dedup.lease, and edit what comes back.");
            case SUPERSEDED, DONE, RESEND -> throw overtaken(copy, judgement.explanation());
            default -> throw refused(copy, judgement.explanation());
        }
        if (stored != null && stored.state() != RecordState.POISONED) {
            throw overtaken(copy, "By its record it is not set aside, but waits for a retry. Replay it as it is.");
        }
        return PoisonedRecords.edited(edited.key(), stored, owner, edited.message());
    }

    private static @Nullable MessageRecord stored(PoisonedRecords records, WireMessage copy, Inspected edited) {
        try {
            return records.find(edited.key());
        } catch (UnreadableRecordException e) {
            throw refused(copy, "Its record cannot be read by this version.");
        }
    }

    private Inspected inspected(MessageInspector queue, WireMessage edited) {
        try {
            return queue.inspect(edited);
        } catch (Throwable e) { // a constructor of the payload, or the id of its saga
            requireLasting(edited, e);
            throw refused(
                    edited,
                    e instanceof InvalidMessageException invalid
                            ? "With the new body it would come back as %s: %s"
                                    .formatted(invalid.reason().wireName(), reader.told(invalid))
                            : "With the new body it cannot be read, or assigned to a saga (%s)."
                                    .formatted(e.getClass().getSimpleName()));
        }
    }

    /** Its record is kept with its saga, and would not be found in another one. */
    private static void requireSameSaga(MessageInspector queue, WireMessage before, Inspected edited) {
        try {
            if (queue.inspect(before).key().equals(edited.key())) {
                return;
            }
        } catch (Throwable e) {
            requireLasting(before, e);
            return; // it could not be read, so its handling was never begun in another one
        }
        throw refused(before, "With the new body it would belong to another saga. Publish a new message instead.");
    }

    private static @Nullable Envelope decoded(MessageInspector queue, WireMessage before) {
        try {
            return queue.decoded(before);
        } catch (InvalidMessageException e) {
            requireLasting(before, e);
            return null;
        }
    }

    /** @throws BrowsingException SB-5015 when it may be readable in a moment */
    private static void requireLasting(WireMessage wire, Throwable why) {
        if (PassingFailure.isCauseOf(why)) {
            throw new BrowsingException(
                    String.valueOf(wire.headers().get(Headers.POISON_QUEUE)),
                    "message %s cannot be read just now (%s): what its body is read with does not answer. Nothing was moved. Try again when it does."
                            .formatted(printableId(wire), why.getClass().getSimpleName()),
                    null);
        }
    }

    private static Map<String, Object> headers(WireMessage copy) {
        Map<String, Object> headers = Headers.copied(copy.headers());
        for (String name : OF_POISON_COPIES) {
            Object value = copy.headers().get(name);
            if (value instanceof String || value instanceof Number) {
                headers.put(name, value);
            }
        }
        return headers;
    }

    private static WireMessage plain(WireMessage copy, Map<String, Object> headers, byte[] body) {
        return new WireMessage(
                copy.messageId(),
                copy.correlationId(),
                copy.type(),
                copy.appId(),
                copy.timestamp(),
                copy.contentType(),
                null,
                copy.priority(),
                headers,
                body);
    }

    /** It is the request that is wrong, and would be the next time. */
    static MisuseException refused(WireMessage copy, String why) {
        return refused(MisuseException.POISON, copy, why);
    }

    /** Something else happened to the message meanwhile. */
    private static MisuseException overtaken(WireMessage copy, String why) {
        return refused(MisuseException.BUSY, copy, why);
    }

    private static MisuseException refused(String code, WireMessage copy, String why) {
        return new MisuseException(
                code,
                "The copy cannot be edited [message=%s]: %s%s Nothing was moved."
                        .formatted(printableId(copy), why, why.endsWith(".") ? "" : "."));
    }

    private static String printableId(WireMessage wire) {
        return Names.printable(String.valueOf(wire.messageId()));
    }
}
