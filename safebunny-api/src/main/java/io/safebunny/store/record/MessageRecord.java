// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.failure.MisuseException;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything stored about the handling of one message, in a single record, so that on every store one conditional write changes
 * all of it. Immutable.
 *
 * @param owner who wrote it last; unique per claim, so that a writer recognises its own write if the answer was lost
 * @param version fencing token: 1 when created, increased by one with every write
 * @param attempt delayed retries so far: of the delivery being handled or, once released, of the next one
 * @param takeovers consecutive claims that were taken over because their owner had fallen silent
 * @param lease how long an unchanged claim is respected
 * @param fingerprint of the message, to recognise a different one with the same id
 * @param steps results of completed {@code once} steps, as JSON by name, in the order of their completion
 * @param outgoing publications of the completed handling that are still to be sent, in the order of publishing
 * @param trail what it tells people of the handling; {@link Trail#NONE} for companions. Stores keep it among the steps, see {@link
 *     #content}
 * @param listing what it can be found by without its key; only companions shared by a partition may have one, see {@link
 *     RecordKey#isShared()}
 * @param etag the store's own tag of this version; {@code null} for stores that compare versions
 */
public record MessageRecord(
        RecordKey key,
        RecordState state,
        String owner,
        long version,
        int attempt,
        int takeovers,
        Duration lease,
        Fingerprint fingerprint,
        Map<String, String> steps,
        List<OutboundMessage> outgoing,
        Trail trail,
        @Nullable Listing listing,
        @Nullable String etag) {

    /** The name in {@link #content} under which stores keep the trail: no step has it. */
    private static final String TRAIL = "";

    public MessageRecord {
        trail = trail.equals(Trail.NONE) ? trailIn(steps) : trail;
        steps = inTheirOrder(steps, trail);
        outgoing = List.copyOf(outgoing);
        if (listing != null && !key.isShared()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid listing [message=%s]: the record must be a companion shared by its partition. Use RecordKey.companion(correlationId, name)."
                            .formatted(key.messageId()));
        }
    }

    /**
     * A record as a store reads it, and one that has no trail.
     *
     * @param content as {@link #content} gave it when the record was written: the steps, and the trail if it has one
     */
    public MessageRecord(
            RecordKey key,
            RecordState state,
            String owner,
            long version,
            int attempt,
            int takeovers,
            Duration lease,
            Fingerprint fingerprint,
            Map<String, String> content,
            List<OutboundMessage> outgoing,
            @Nullable Listing listing,
            @Nullable String etag) {
        this(
                key,
                state,
                owner,
                version,
                attempt,
                takeovers,
                lease,
                fingerprint,
                content,
                outgoing,
                Trail.NONE,
                listing,
                etag);
    }

    /**
     * What stores keep of steps and trail, and hand to the constructor when they read the record: JSON by name, in the order of the steps.
     * A version that knows no trail carries it along as if it were a step.
     */
    public Map<String, String> content() {
        if (trail.equals(Trail.NONE)) {
            return steps;
        }
        String text = TrailJson.write(trail);
        if (steps.isEmpty()) {
            return Map.of(TRAIL, text);
        }
        Map<String, String> content = new LinkedHashMap<>(steps);
        content.put(TRAIL, text);
        return Collections.unmodifiableMap(content);
    }

    /** {@link Trail#NONE} if there is none, or what this version does not know: that is as if it were a step until the message is claimed. */
    private static Trail trailIn(Map<String, String> content) {
        String text = content.get(TRAIL);
        return text == null ? Trail.NONE : TrailJson.read(text);
    }

    /**
     * Copies the steps in their order, because the order is stored and {@code Map.copyOf} would change it from run to run. Refuses steps
     * without a result, because they would run again.
     */
    private static Map<String, String> inTheirOrder(Map<String, String> content, Trail trail) {
        if (content.isEmpty()) {
            return Map.of();
        }
        Map<String, String> steps = new LinkedHashMap<>();
        content.forEach((name, json) -> steps.put(Objects.requireNonNull(name), Objects.requireNonNull(json)));
        if (!trail.equals(Trail.NONE)) {
            steps.remove(TRAIL);
        }
        return Collections.unmodifiableMap(steps);
    }

    /** A first claim, which tells nothing. */
    public static MessageRecord claim(
            RecordKey key, String owner, Duration lease, int attempt, Fingerprint fingerprint) {
        return claim(key, owner, lease, attempt, fingerprint, Trail.NONE);
    }

    /** A first claim. */
    public static MessageRecord claim(
            RecordKey key, String owner, Duration lease, int attempt, Fingerprint fingerprint, Trail trail) {
        return new MessageRecord(
                key,
                RecordState.CLAIMED,
                owner,
                1,
                attempt,
                0,
                lease,
                fingerprint,
                Map.of(),
                List.of(),
                trail,
                null,
                null);
    }

    /**
     * A new companion, which is never claimed.
     *
     * @param listing what it can be found by without its key; {@code null} if it need not be
     * @param content JSON by name
     */
    public static MessageRecord companion(
            RecordKey key, String owner, @Nullable Listing listing, Map<String, String> content) {
        return new MessageRecord(
                key,
                RecordState.RELEASED,
                owner,
                1,
                0,
                0,
                Duration.ZERO,
                new Fingerprint(Fingerprint.SHA256, 0, 0),
                content,
                List.of(),
                listing,
                null);
    }

    /**
     * The next write of a companion.
     *
     * @param newListing {@code null} if it no longer needs to be found without its key
     */
    public MessageRecord nextContent(
            RecordState newState, String newOwner, @Nullable Listing newListing, Map<String, String> content) {
        return new MessageRecord(
                key,
                newState,
                newOwner,
                version + 1,
                attempt,
                takeovers,
                lease,
                fingerprint,
                content,
                outgoing,
                trail,
                newListing,
                etag);
    }

    /** The same owner's next write, with only the state changed. */
    public MessageRecord next(RecordState newState) {
        return next(newState, outgoing);
    }

    /** The same owner's next write: the handling is complete, with these publications. */
    public MessageRecord completed(List<OutboundMessage> newOutgoing) {
        return next(newOutgoing.isEmpty() ? RecordState.DISPATCHED : RecordState.COMPLETED, newOutgoing);
    }

    /** The same owner's next write: everything is done, so steps and publications are removed. The trail tells what was published. */
    public MessageRecord dispatched() {
        return next(RecordState.DISPATCHED, Map.of(), List.of(), trail.sent(outgoing, key));
    }

    /**
     * The same owner's next write: some publications are confirmed and removed, and the others still to be sent.
     *
     * @param sent how many of the first ones
     */
    public MessageRecord dispatchedUpTo(int sent) {
        return next(
                RecordState.COMPLETED,
                steps,
                outgoing.subList(sent, outgoing.size()),
                trail.sent(outgoing.subList(0, sent), key));
    }

    /** The same owner's next write. */
    public MessageRecord next(RecordState newState, List<OutboundMessage> newOutgoing) {
        return next(newState, steps, newOutgoing, trail);
    }

    private MessageRecord next(
            RecordState newState, Map<String, String> newSteps, List<OutboundMessage> newOutgoing, Trail newTrail) {
        return new MessageRecord(
                key,
                newState,
                owner,
                version + 1,
                attempt,
                takeovers,
                lease,
                fingerprint,
                newSteps,
                newOutgoing,
                newTrail,
                listing,
                etag);
    }

    /** Another owner's claim of this record. */
    public MessageRecord claimedBy(String newOwner, Duration newLease, int newAttempt, int newTakeovers) {
        return new MessageRecord(
                key,
                RecordState.CLAIMED,
                newOwner,
                version + 1,
                newAttempt,
                newTakeovers,
                newLease,
                fingerprint,
                steps,
                List.of(),
                trail,
                listing,
                etag);
    }

    /** Another owner's next write: the message, which has been set aside, gets a new body. */
    public MessageRecord edited(String newOwner, Fingerprint newFingerprint) {
        return new MessageRecord(
                key,
                state,
                newOwner,
                version + 1,
                attempt,
                takeovers,
                lease,
                newFingerprint,
                steps,
                outgoing,
                trail,
                listing,
                etag);
    }

    /** The next write of a companion that contains only steps. */
    public MessageRecord nextSteps(String newOwner, Map<String, String> newSteps) {
        return new MessageRecord(
                key,
                state,
                newOwner,
                version + 1,
                attempt,
                takeovers,
                lease,
                fingerprint,
                newSteps,
                outgoing,
                trail,
                listing,
                etag);
    }

    public MessageRecord withVersion(long newVersion) {
        return new MessageRecord(
                key,
                state,
                owner,
                newVersion,
                attempt,
                takeovers,
                lease,
                fingerprint,
                steps,
                outgoing,
                trail,
                listing,
                etag);
    }

    public MessageRecord withAttempt(int newAttempt) {
        return new MessageRecord(
                key,
                state,
                owner,
                version,
                newAttempt,
                takeovers,
                lease,
                fingerprint,
                steps,
                outgoing,
                trail,
                listing,
                etag);
    }

    public MessageRecord withTakeovers(int newTakeovers) {
        return new MessageRecord(
                key,
                state,
                owner,
                version,
                attempt,
                newTakeovers,
                lease,
                fingerprint,
                steps,
                outgoing,
                trail,
                listing,
                etag);
    }

    public MessageRecord withSteps(Map<String, String> newSteps) {
        return new MessageRecord(
                key,
                state,
                owner,
                version,
                attempt,
                takeovers,
                lease,
                fingerprint,
                newSteps,
                outgoing,
                trail,
                listing,
                etag);
    }

    public MessageRecord withTrail(Trail newTrail) {
        if (newTrail.equals(trail)) {
            return this;
        }
        return new MessageRecord(
                key,
                state,
                owner,
                version,
                attempt,
                takeovers,
                lease,
                fingerprint,
                steps,
                outgoing,
                newTrail,
                listing,
                etag);
    }

    public MessageRecord withEtag(@Nullable String newEtag) {
        return new MessageRecord(
                key,
                state,
                owner,
                version,
                attempt,
                takeovers,
                lease,
                fingerprint,
                steps,
                outgoing,
                trail,
                listing,
                newEtag);
    }

    /** Whether the other record is the result of this very write. */
    public boolean isSameWriteAs(MessageRecord other) {
        return version == other.version
                && state == other.state
                && owner.equals(other.owner)
                && steps.equals(other.steps);
    }

    @Override
    public String toString() {
        return "MessageRecord[%s %s, version %s, attempt %s]".formatted(key.messageId(), state, version, attempt);
    }
}
