// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.bodies.BodyReference;
import io.safebunny.dedup.PoisonedRecords;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.NotYetReadableException;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.poison.queue.PoisonDigest;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import io.safebunny.validation.MessageInspector;
import io.safebunny.validation.MessageInspector.Inspected;
import io.safebunny.validation.TemporaryFailure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decides whether the body of a copy may be replaced, and makes the edited copy. Thread-safe. */
final class Edits {

    /** Headers of a poison copy besides those that every copy of a message keeps. */
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
    private final Serializers serializers;

    /** @param store {@code null} if there is none */
    Edits(PoisonReader reader, @Nullable MessageStore store, Timeline timeline, Serializers serializers) {
        this.reader = reader;
        this.timeline = timeline;
        this.serializers = serializers;
        this.records = store == null ? null : new PoisonedRecords(store);
    }

    /**
     * An edited copy.
     *
     * @param wire to be sent to the poison queue
     * @param unedited the message before the edit; {@code null} if it cannot be decoded
     * @param record to be written once the copy is there; {@code null} without a store
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
     * @param owner owner of the edited record
     * @throws MisuseException SB-5014 if the copy cannot be edited like this; SB-5016 if the message has changed meanwhile
     * @throws BrowsingException SB-5015 if the message cannot be read at the moment
     */
    Edited edit(WireMessage copy, byte[] body, String owner) {
        MessageInspector queue = reader.inspectorOf(copy);
        String refusal = reader.refusal(copy, queue);
        if (refusal != null || queue == null) {
            throw refused(copy, String.valueOf(refusal));
        }
        if (MessageTypes.isReserved(String.valueOf(copy.type()))) {
            throw refused(
                    copy,
                    "It is one of SafeBunny's own messages, whose bodies cannot be edited. Replay or discard it.");
        }
        if (queue.isHidden(copy)) {
            throw refused(
                    copy,
                    "Its body is encrypted, and an edited one would lie in clear. Replay it, or discard it and publish another.");
        }
        Map<String, Object> headers = headers(copy);
        WireMessage before = PoisonReader.replayed(copy);
        Envelope unedited = decoded(queue, before);
        String contentType = contentType(copy, unedited);
        Inspected edited = inspected(queue, plain(copy, contentType, headers, body));
        requireSameSaga(queue, before, edited);
        MessageRecord record = records == null ? null : next(records, copy, unedited, edited, owner);
        headers.remove(Headers.POISON_VERSION);
        if (record != null) {
            headers.put(Headers.POISON_VERSION, record.version());
            headers.put(Headers.POISONED_AT, timeline.now().toEpochMilli()); // the record is kept from now on
        }
        WireMessage wire = plain(copy, contentType, headers, body);
        headers.put(Headers.POISON_DIGEST, PoisonDigest.of(wire));
        return new Edited(wire, unedited, record);
    }

    /** @return false if the record has changed meanwhile, so that the edited copy is not handled */
    boolean store(Edited edited) {
        return records == null || edited.record == null || records.write(edited.record, edited.unedited);
    }

    private MessageRecord next(
            PoisonedRecords records, WireMessage copy, @Nullable Envelope unedited, Inspected edited, String owner) {
        MessageRecord stored = stored(records, copy, edited);
        Judgement judgement = Judgement.of(
                stored,
                stored == null || (unedited != null && stored.fingerprint().isOf(unedited)),
                unedited == null ? 0 : unedited.poisonVersion(),
                // a replay may take over an expired claim, an edit must not
                false,
                edited.tooOld());
        switch (judgement.verdict()) {
            case RUN -> {}
            case BUSY ->
                throw overtaken(
                        copy,
                        "Another delivery of it is being handled, or ended without recording the outcome: replay it unchanged after safebunny.dedup.lease, and edit what comes back.");
            case SUPERSEDED -> throw overtaken(copy, ofOlder(copy, judgement));
            case DONE, RESEND -> throw overtaken(copy, judgement.explanation());
            default -> throw refused(copy, judgement.explanation());
        }
        if (stored != null && stored.state() != RecordState.POISONED) {
            throw overtaken(
                    copy, "Its record says that it waits for a retry, not that it was set aside. Replay it unchanged.");
        }
        return PoisonedRecords.edited(edited.key(), stored, owner, edited.message());
    }

    /** What becomes of the newer copy depends on the saga that has sent the message, too. */
    private String ofOlder(WireMessage copy, Judgement judgement) {
        PoisonedMessage shown = reader.read(copy, false).shown();
        return switch (shown.verdict()) {
            case UNWANTED, DONE, SUPERSEDED -> shown.explanation();
            default -> judgement.explanation();
        };
    }

    private static @Nullable MessageRecord stored(PoisonedRecords records, WireMessage copy, Inspected edited) {
        try {
            return records.find(edited.key());
        } catch (UnreadableRecordException e) {
            throw refused(
                    copy,
                    "Its record was written by a newer version of SafeBunny. Edit it on an instance of that version.");
        }
    }

    private Inspected inspected(MessageInspector queue, WireMessage edited) {
        try {
            return queue.inspect(edited);
        } catch (NotHandledException e) {
            throw refused(edited, e.messageWithoutCode() + ". Edit it through that one.");
        } catch (Throwable e) { // includes failures of the application's code, in the payload's constructor or when
            // reading the saga's id
            requireLasting(edited, e);
            throw refused(
                    edited,
                    e instanceof InvalidMessageException invalid
                            ? "With the new body it would come back as %s: %s"
                                    .formatted(invalid.reason().wireName(), reader.told(edited, invalid))
                            : "With the new body it cannot be read, or assigned to a saga (%s). Correct the body."
                                    .formatted(e.getClass().getSimpleName()));
        }
    }

    /** Refuses a body that names another saga: the record is stored with its saga, and would no longer be found. */
    private static void requireSameSaga(MessageInspector queue, WireMessage before, Inspected edited) {
        try {
            if (queue.inspect(before).key().equals(edited.key())) {
                return;
            }
        } catch (Throwable e) {
            requireLasting(before, e);
            return; // the unedited message could never be read, so no saga has a record of it
        }
        throw refused(before, "With the new body it would belong to another saga. Publish a new message instead.");
    }

    private static @Nullable Envelope decoded(MessageInspector queue, WireMessage before) {
        try {
            return queue.decoded(before);
        } catch (NotYetReadableException | NotHandledException e) { // its body is elsewhere
            throw refused(before, "Its present body cannot be had: " + e.messageWithoutCode());
        } catch (InvalidMessageException e) {
            requireLasting(before, e);
            return null;
        }
    }

    /** @throws BrowsingException SB-5015 if the failure may be temporary */
    private static void requireLasting(WireMessage wire, Throwable why) {
        if (TemporaryFailure.isCauseOf(why)) {
            throw new BrowsingException(
                    String.valueOf(wire.headers().get(Headers.POISON_QUEUE)),
                    "message %s cannot be read just now (%s): a service that its serializer needs does not answer. Nothing was moved. Check that service, then try again."
                            .formatted(printableId(wire), why.getClass().getSimpleName()),
                    null);
        }
    }

    private static Map<String, Object> headers(WireMessage copy) {
        Map<String, Object> headers = new LinkedHashMap<>(BodyReference.without(Headers.copied(copy.headers())));
        for (String name : OF_POISON_COPIES) {
            Object value = copy.headers().get(name);
            if (value instanceof String || value instanceof Number) {
                headers.put(name, value);
            }
        }
        return headers;
    }

    /** A body that is shown as JSON is edited as JSON, and stays JSON. */
    private @Nullable String contentType(WireMessage copy, @Nullable Envelope unedited) {
        return unedited == null || serializers.toJson(unedited.body(), unedited.contentType()) == null
                ? copy.contentType()
                : Serializers.JSON_TYPE;
    }

    private static WireMessage plain(
            WireMessage copy, @Nullable String contentType, Map<String, Object> headers, byte[] body) {
        return new WireMessage(
                copy.messageId(),
                copy.correlationId(),
                copy.type(),
                copy.appId(),
                copy.timestamp(),
                contentType,
                null,
                copy.priority(),
                headers,
                body);
    }

    /** The exception when trying again is useless. */
    static MisuseException refused(WireMessage copy, String why) {
        return refused(MisuseException.POISON, copy, why);
    }

    /** The exception when the message has changed since the operator looked at it. */
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
