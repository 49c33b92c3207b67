// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.MissingBodyException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.NotYetReadableException;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.DetailsByType;
import io.safebunny.observation.FailureDetails;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.poison.wanted.AskedFates;
import io.safebunny.poison.wanted.Lookahead;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.validation.MessageInspector;
import io.safebunny.validation.MessageInspector.Inspected;
import io.safebunny.validation.TemporaryFailure;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads copies in the poison queue and judges them. Trusts nothing that a sender may have written into them. For one pass over the queue,
 * on one thread.
 */
final class PoisonReader {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonReader.class);

    /** Maximum number of characters of a text that are shown. */
    private static final int LONGEST = 1_000;

    private static final int LONGEST_FAILURE = 500;

    private static final byte[] NO_BODY = {};

    private static final Judgement UNJUDGED = new Judgement(Verdict.UNKNOWN, "");

    private final Map<String, MessageInspector> byQueue;
    private final @Nullable StoredRecords records;
    private final ReplayAge ages;
    private final AskedFates fates;
    private final DetailsByType details;

    /**
     * @param byQueue reads the messages of a queue, by name of the queue, for those that this node handles
     * @param records {@code null} if there is no store
     * @param fates what sagas know of the steps to which copies belong
     * @param details how much an explanation quotes of an exception
     */
    PoisonReader(
            Map<String, MessageInspector> byQueue,
            @Nullable StoredRecords records,
            ReplayAge ages,
            AskedFates fates,
            DetailsByType details) {
        this.details = details;
        this.byQueue = Map.copyOf(byQueue);
        this.records = records;
        this.ages = ages;
        this.fates = fates;
    }

    /**
     * A copy that was read and judged.
     *
     * @param address with which its message gets to where it is handled now; empty if there is no such queue
     * @param replayed what a replay would send, if the verdict allows it; {@code null} if there is nothing to send
     * @param body decoded, if its queue can read it
     * @param record the record of its message; {@code null} if there is none, or it is unknown
     */
    record Copy(
            WireMessage wire,
            String address,
            PoisonedMessage shown,
            @Nullable WireMessage replayed,
            byte[] body,
            @Nullable MessageRecord record) {

        /** @param withBody whether there is room for the body */
        PoisonCopy told(boolean withBody, DetailsByType details) {
            MessageRecord stored = record;
            return new PoisonCopy(
                    shown,
                    withBody ? body : null,
                    stored == null
                            ? null
                            : new PoisonCopy.Stored(
                                    stored.state().name(),
                                    stored.attempt(),
                                    stored.version(),
                                    stored.owner(),
                                    stored.steps().keySet().stream()
                                            .filter(name -> !name.isEmpty()) // a newer version's trail
                                            .toList(),
                                    stored.outgoing().size(),
                                    stored.trail().failures().stream()
                                            .map(failure -> shownAs(failure, details.of(wire.type())))
                                            .toList()));
        }

        /** The same, whose body nobody can read any more. */
        Copy erased(SubjectErasedException why) {
            boolean runs = shown.verdict() == Verdict.RUN || shown.verdict() == Verdict.REPEATS;
            String explanation = "Its body cannot be shown: its person was erased on %s. %s"
                    .formatted(
                            why.erasedAt(),
                            runs ? "A replay ends as shredded; it can be discarded." : shown.explanation());
            return new Copy(
                    wire,
                    address,
                    shownAs(wire, new Judgement(shown.verdict(), explanation)),
                    replayed,
                    NO_BODY,
                    record);
        }

        /** Whether it is older than what is stored of its message, so that no replay moves it. */
        boolean isOlder() {
            return replayed == null && record != null;
        }

        /** A copy that a replay leaves where it is. */
        static Copy kept(WireMessage wire, Verdict verdict, String explanation) {
            return new Copy(wire, "", shownAs(wire, new Judgement(verdict, explanation)), null, wire.body(), null);
        }
    }

    /** Whether the copy matches the filter, or may match it, if that has a verdict. Asks neither broker nor store. */
    boolean matches(WireMessage wire, PoisonFilter filter) {
        return filter.matches(shownAs(wire, UNJUDGED));
    }

    /**
     * The same queue, of which some copies are taken ahead to ask the nodes of sagas for many at once.
     *
     * @param most number of copies that are taken at once
     */
    Lookahead ahead(BrowsedQueue queue, PoisonFilter filter, int most) {
        return ahead(queue, wire -> matches(wire, filter), most);
    }

    /** @param matters whether a copy is to be judged */
    Lookahead ahead(BrowsedQueue queue, Predicate<WireMessage> matters, int most) {
        return new Lookahead(queue, fates, matters, most);
    }

    /**
     * Reads and judges a copy. Asks the store, and perhaps the node of its saga, so it may block.
     *
     * @param forced whether the copy may be replayed however old it is
     */
    Copy read(WireMessage wire, boolean forced) {
        MessageInspector queue = inspectorOf(wire);
        String refusal = refusal(wire, queue);
        if (refusal != null || queue == null) {
            return Copy.kept(wire, Verdict.REFUSED, Objects.requireNonNull(refusal));
        }
        WireMessage replayed = replayed(wire);
        Inspected inspected;
        SubjectErasedException erased = null;
        try {
            inspected = queue.inspect(replayed);
        } catch (SubjectErasedException e) {
            inspected = queue.inspectErased(replayed);
            erased = e;
        } catch (Throwable e) { // from a constructor, static initializer or serializer: only about this copy
            return notRead(wire, e);
        }
        try {
            Copy judged = judged(queue, wire, replayed, inspected, forced);
            return erased == null ? judged : judged.erased(erased);
        } catch (UnreadableRecordException e) {
            return unreadable(wire, "Its record cannot be read by this version", e);
        } catch (RuntimeException e) {
            LOG.debug("Message {} cannot be judged", Names.printable(String.valueOf(wire.messageId())), e);
            return Copy.kept(
                    wire,
                    Verdict.UNKNOWN,
                    "The store does not answer (%s).".formatted(e.getClass().getSimpleName()));
        }
    }

    private Copy notRead(WireMessage wire, Throwable why) {
        if (TemporaryFailure.isCauseOf(why)) {
            LOG.debug(
                    "Message {} cannot be judged",
                    Names.printable(String.valueOf(wire.messageId())),
                    details.of(wire.type()).logged(why));
            return Copy.kept(
                    wire,
                    Verdict.UNKNOWN,
                    "It cannot be read just now (%s): a service that its serializer needs does not answer."
                            .formatted(why.getClass().getSimpleName()));
        }
        if (why
                instanceof
                MissingBodyException missing) { // it may come, so each look judges anew; until then it can be discarded
            return Copy.kept(
                    wire, Verdict.REFUSED, "It would come back as claim-missing. " + missing.messageWithoutCode());
        }
        if (why instanceof NotYetReadableException || why instanceof NotHandledException) {
            return Copy.kept(
                    wire, Verdict.UNKNOWN, "It cannot be read now: " + ((SafeBunnyException) why).messageWithoutCode());
        }
        return why instanceof InvalidMessageException invalid
                ? Copy.kept(
                        wire,
                        Verdict.REFUSED,
                        "It would come back as " + invalid.reason().wireName() + '.')
                : unreadable(wire, "Reading it fails", why);
    }

    /** The text of the failure that may be shown. */
    String told(WireMessage wire, InvalidMessageException why) {
        Throwable shown = details.of(wire.type()).shown(why);
        return shown == why ? why.messageWithoutCode() : shown.toString();
    }

    /** A copy that is not replayed, because reading it would fail in the same way. It can be discarded. */
    private Copy unreadable(WireMessage wire, String what, Throwable why) {
        LOG.debug(
                "Message {} cannot be judged",
                Names.printable(String.valueOf(wire.messageId())),
                details.of(wire.type()).logged(why));
        return Copy.kept(
                wire,
                Verdict.REFUSED,
                what + ": " + Names.printable(details.of(wire.type()).shown(why).toString(), LONGEST_FAILURE));
    }

    private Copy judged(
            MessageInspector queue, WireMessage wire, WireMessage replayed, Inspected inspected, boolean forced) {
        if (records == null) {
            Judgement repeats = new Judgement(
                            Verdict.REPEATS, "There is no store: it is handled, even if it was handled before.")
                    .ofStep(fates.of(wire, key -> null), poisonedAt(wire))
                    .ofDeadline(wire);
            return new Copy(
                    wire,
                    queue.address(),
                    shownAs(wire, repeats),
                    replayed,
                    inspected.message().body(),
                    null);
        }
        MessageRecord stored = records.find(inspected.key());
        Envelope message = inspected.message();
        boolean remembered = ages.isRemembered(stored, wire, message);
        MessageRecord record = remembered || forced ? stored : null;
        boolean tooOld = inspected.tooOld() || isOfAReasonOfAge(wire) || (stored != null && !remembered);
        Judgement judgement = Judgement.of(
                record,
                record == null || record.fingerprint().isOf(message),
                message.poisonVersion(),
                records.isSilent(record),
                tooOld && !forced);
        boolean isOlder = judgement.verdict() == Verdict.SUPERSEDED;
        if (isOlder || judgement.verdict() == Verdict.RUN) {
            judgement = judgement.unlessIgnored(queue.ignored(inspected, records::findIfReadable));
        }
        if (judgement.isOfStep()) { // the others may be many, and nobody has to be asked for them
            judgement = judgement.ofStep(fates.of(wire, records::findIfReadable), poisonedAt(wire));
        }
        judgement = judgement.ofDeadline(wire);
        WireMessage sent = isOlder // it would come back, even if it is replayed by name
                ? null
                : ages.sent(
                        versioned(replayed, record, judgement),
                        remembered ? stored : null,
                        wire,
                        message,
                        inspected.tooOld());
        return new Copy(wire, queue.address(), shownAs(wire, judgement), sent, message.body(), stored);
    }

    /** Whether the copy was set aside because it was too old: its record is gone, even if records are kept for longer by now. */
    private static boolean isOfAReasonOfAge(WireMessage wire) {
        return PoisonReason.TOO_OLD.wireName().equals(wire.headers().get(Headers.POISON_REASON));
    }

    /** Adds the version of the record to a copy that has none because the store did not answer when the copy was made. */
    private static WireMessage versioned(WireMessage replayed, @Nullable MessageRecord record, Judgement judgement) {
        if (record == null
                || record.state() != RecordState.POISONED
                || (judgement.verdict() != Verdict.RUN && !judgement.verdict().isReplayedByName())
                || replayed.headers().containsKey(Headers.POISON_VERSION)) {
            return replayed;
        }
        Map<String, Object> headers = new LinkedHashMap<>(replayed.headers());
        headers.put(Headers.POISON_VERSION, record.version());
        return replayed.withHeaders(headers);
    }

    /** The inspector for the queue that the copy says it comes from. */
    @Nullable
    MessageInspector inspectorOf(WireMessage wire) {
        return byQueue.get(text(wire, Headers.POISON_QUEUE));
    }

    /** Why the copy must not be sent to its queue, whatever its body; {@code null} if it may be sent. */
    @Nullable
    String refusal(WireMessage wire, @Nullable MessageInspector queue) {
        if (text(wire, Headers.POISON_REASON).isEmpty()
                || !(wire.headers().get(Headers.POISONED_AT) instanceof Number)) {
            return "It has no sb-poison-reason or no sb-poisoned-at, so it was not SafeBunny that put it here. See docs/poison.md on how to replay it by hand.";
        }
        if (queue == null) {
            return "Its sb-poison-queue is not a queue that this node consumes: these are %s."
                    .formatted(byQueue.values().stream()
                            .map(MessageInspector::queue)
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
        if (queue.isUnknownSince(text(wire, Headers.POISON_QUEUE), wire)) {
            return "It was set aside before its type was switched to or from ordered = true, and its order key is not its correlation id: what became of it is not known under its new key. See docs/order.md.";
        }
        return queue.checksSenders()
                ? "Its type is taken from trusted users only (safebunny.listener.trusted-users), and nothing in the poison queue proves who sent it."
                : null;
    }

    /**
     * The message to replay, without {@code CC}, {@code x-…} and other headers that the broker acts on, and without its deadline: to replay it
     * is the decision that it is to be handled.
     */
    static WireMessage replayed(WireMessage wire) {
        Map<String, Object> headers = new LinkedHashMap<>(Headers.withoutDeadline(Headers.copied(wire.headers())));
        if (wire.headers().get(Headers.POISONED_AT) instanceof Number millis) {
            headers.put(Headers.POISONED_AT, millis);
        }
        return wire.withHeaders(headers);
    }

    private static PoisonedMessage shownAs(WireMessage wire, Judgement judgement) {
        return new PoisonedMessage(
                text(wire, Headers.POISON_DIGEST),
                cut(wire.messageId()),
                cut(wire.correlationId()),
                cut(wire.type()),
                text(wire, Headers.POISON_REASON),
                text(wire, Headers.POISON_QUEUE),
                poisonedAt(wire),
                text(wire, Headers.EXCEPTION_TYPE),
                text(wire, Headers.EXCEPTION_MESSAGE),
                BodyReference.length(wire.headers(), wire.body()),
                cut(wire.contentEncoding()),
                Headers.application(wire.headers()),
                judgement.verdict(),
                judgement.explanation());
    }

    private static @Nullable Instant poisonedAt(WireMessage wire) {
        return wire.headers().get(Headers.POISONED_AT) instanceof Number millis
                ? Instant.ofEpochMilli(millis.longValue())
                : null;
    }

    private static PoisonCopy.Failure shownAs(Trail.Failure failure, FailureDetails details) {
        return new PoisonCopy.Failure(
                failure.at(),
                failure.instance(),
                failure.millis(),
                failure.exception(),
                details.showsStoredTexts() ? failure.text() : null, // it may be of a time when texts were shown
                failure.nextAt());
    }

    private static String text(WireMessage wire, String header) {
        return wire.headers().get(header) instanceof String text ? cut(text) : "";
    }

    private static String cut(@Nullable String text) {
        return text == null ? "" : text.length() <= LONGEST ? text : text.substring(0, LONGEST) + '…';
    }
}
