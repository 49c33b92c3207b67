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
 * @param outgoing publications of the completed handling, in the order of publishing
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
        @Nullable Listing listing,
        @Nullable String etag) {

    public MessageRecord {
        steps = inTheirOrder(steps);
        outgoing = List.copyOf(outgoing);
        if (listing != null && !key.isShared()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid listing [message=%s]: the record must be a companion shared by its partition. Use RecordKey.companion(correlationId, name)."
                            .formatted(key.messageId()));
        }
    }

    /**
     * Copies the steps in their order, because the order is stored and {@code Map.copyOf} would change it from run to run. Refuses steps
     * without a result, because they would run again.
     */
    private static Map<String, String> inTheirOrder(Map<String, String> steps) {
        if (steps.isEmpty()) {
            return Map.of();
        }
        Map<String, String> copy = new LinkedHashMap<>();
        steps.forEach((name, json) -> copy.put(Objects.requireNonNull(name), Objects.requireNonNull(json)));
        return Collections.unmodifiableMap(copy);
    }

    /** A first claim. */
    public static MessageRecord claim(
            RecordKey key, String owner, Duration lease, int attempt, Fingerprint fingerprint) {
        return new MessageRecord(
                key, RecordState.CLAIMED, owner, 1, attempt, 0, lease, fingerprint, Map.of(), List.of(), null, null);
    }

    /**
     * A new companion, which is never claimed.
     *
     * @param listing what it can be found by without its key
     * @param content JSON by name
     */
    public static MessageRecord companion(RecordKey key, String owner, Listing listing, Map<String, String> content) {
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

    /** The same owner's next write: everything is done, so publications and steps are removed. */
    public MessageRecord dispatched() {
        return next(RecordState.DISPATCHED, List.of()).withSteps(Map.of());
    }

    /** The same owner's next write. */
    public MessageRecord next(RecordState newState, List<OutboundMessage> newOutgoing) {
        return new MessageRecord(
                key,
                newState,
                owner,
                version + 1,
                attempt,
                takeovers,
                lease,
                fingerprint,
                steps,
                newOutgoing,
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
                listing,
                etag);
    }

    public MessageRecord withVersion(long newVersion) {
        return new MessageRecord(
                key, state, owner, newVersion, attempt, takeovers, lease, fingerprint, steps, outgoing, listing, etag);
    }

    public MessageRecord withAttempt(int newAttempt) {
        return new MessageRecord(
                key, state, owner, version, newAttempt, takeovers, lease, fingerprint, steps, outgoing, listing, etag);
    }

    public MessageRecord withTakeovers(int newTakeovers) {
        return new MessageRecord(
                key, state, owner, version, attempt, newTakeovers, lease, fingerprint, steps, outgoing, listing, etag);
    }

    public MessageRecord withSteps(Map<String, String> newSteps) {
        return new MessageRecord(
                key, state, owner, version, attempt, takeovers, lease, fingerprint, newSteps, outgoing, listing, etag);
    }

    public MessageRecord withEtag(@Nullable String newEtag) {
        return new MessageRecord(
                key, state, owner, version, attempt, takeovers, lease, fingerprint, steps, outgoing, listing, newEtag);
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
