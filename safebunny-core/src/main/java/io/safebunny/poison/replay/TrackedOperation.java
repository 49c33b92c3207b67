// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.identity.RandomIds;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operation that callers see: its progress while it runs, and its result. Thread-safe. */
final class TrackedOperation implements PoisonOperation {

    private static final Logger LOG = LoggerFactory.getLogger(TrackedOperation.class);

    private static final int MOST_REFUSALS = 100;

    private final String id;
    private final Kind kind;
    private final PoisonRequest request;
    private final Timeline timeline;
    private final ExceptionDetails details;
    private final Instant begunAt;
    private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    // guarded by this
    private RunState state = RunState.RUNNING;
    private long depth;
    private long scanned;
    private int matched;
    private int moved;
    private final Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
    private final List<PoisonedMessage> refusals = new ArrayList<>();
    private final CopyGroups groups = CopyGroups.ofMany();
    private long missed;
    private long held;
    private @Nullable Instant endedAt;
    private @Nullable String underway;
    private @Nullable Instant sentAt;
    private @Nullable String failure;
    private @Nullable String failureCode;

    /** @param details how much is shown of a failure */
    TrackedOperation(Kind kind, PoisonRequest request, Timeline timeline, ExceptionDetails details) {
        this.details = details;
        this.id = RandomIds.next(timeline.random());
        this.kind = kind;
        this.request = request;
        this.timeline = timeline;
        this.begunAt = timeline.now();
    }

    /** Notes how many copies the queue has, once. */
    synchronized void depth(long copies) {
        depth = copies;
    }

    /** Notes how many of these were read. */
    synchronized void scanned(long copies) {
        scanned = Math.max(scanned, copies);
    }

    /** Notes how many copies it has taken and neither moved nor put back. */
    synchronized void holds(long copies) {
        held = copies;
    }

    synchronized long held() {
        return held;
    }

    /** As other instances are told of it: without what a person has written, and whom it concerns. */
    synchronized OtherInstances.Operation shared() {
        return new OtherInstances.Operation(
                id, kind, state, request.dryRun(), begunAt, depth, scanned, matched, moved, held);
    }

    private void judged(PoisonedMessage copy) {
        matched++;
        verdicts.merge(copy.verdict(), 1, Integer::sum);
        groups.add(copy);
    }

    /** Counts the copy that was edited. */
    synchronized void edited(Verdict verdict) {
        matched++;
        moved++;
        verdicts.merge(verdict, 1, Integer::sum);
        sentAt = timeline.now();
    }

    /** Counts a copy that was judged and moved. */
    synchronized void moved(PoisonedMessage copy) {
        judged(copy);
        moved++;
    }

    /** Counts a copy that was judged and stays. */
    synchronized void refused(PoisonedMessage copy) {
        judged(copy);
        if (refusals.size() < MOST_REFUSALS) {
            refusals.add(copy.withoutHeaders());
        }
    }

    /** Call before a copy is sent: from then on it may be in two queues, because the original is removed later. */
    synchronized void sends(String messageId) {
        underway = messageId;
        sentAt = timeline.now();
    }

    /** When it last sent a copy to where it may be handled later; {@code null} if it has not. */
    synchronized @Nullable Instant broughtBackAt() {
        return kind == Kind.DISCARD ? null : sentAt;
    }

    /** Call when the copy is in one queue only again. */
    synchronized void settles() {
        underway = null;
    }

    /** Where the copies are that were not moved, as text for the log. */
    synchronized String whereTheRestIs() {
        return underway == null
                ? "what it did not move is where it was"
                : "what it did not move is where it was; message %s may be in both queues: it was sent, and not removed"
                        .formatted(underway);
    }

    /** Notes the number of copies that were there but could not be taken, because others held them. */
    synchronized void missed(long copies) {
        missed = copies;
    }

    synchronized void end(RunState how) {
        state = how;
        endedAt = timeline.now();
    }

    /** @return the failure, reduced to what may be logged */
    synchronized Throwable fail(Throwable why) {
        end(RunState.FAILED);
        failure =
                isOurs(why) ? String.valueOf(why.getMessage()) : details.of(why).toString();
        failureCode = why instanceof SafeBunnyException known ? known.code() : null;
        return details.logged(why);
    }

    /** Whether SafeBunny wrote the exception's text, so that it quotes nothing of a message but the id. */
    private static boolean isOurs(Throwable why) {
        return why instanceof MisuseException || why instanceof BrowsingException || why instanceof PublishException;
    }

    /** Wakes everybody who waits for the end of the operation. */
    void leave() {
        left.complete(null);
    }

    Timeline timeline() {
        return timeline;
    }

    /** Completes when the operation is cancelled. */
    CompletableFuture<Void> cancelled() {
        return cancelled;
    }

    synchronized int matched() {
        return matched;
    }

    synchronized String summary() {
        return "%s [matched=%s, %s=%s, missed=%s, verdicts=%s]"
                .formatted(state, matched, request.dryRun() ? "wouldMove" : "moved", moved, missed, verdicts);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public PoisonRequest request() {
        return request;
    }

    @Override
    public Instant begunAt() {
        return begunAt;
    }

    @Override
    public synchronized Progress progress() {
        return new Progress(
                state, depth, scanned, matched, moved, verdicts, refusals, missed, endedAt, failure, failureCode);
    }

    @Override
    public synchronized Groups groups() {
        return groups.told();
    }

    synchronized int groupCount() {
        return groups.size();
    }

    synchronized void forgetGroups() {
        groups.forget();
    }

    @Override
    public void cancel() {
        cancelled.complete(null);
    }

    @Override
    public Progress await(Duration patience) throws InterruptedException {
        try {
            Object unused = timeline.await(left, patience);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("{} goes on", this);
        }
        return progress();
    }

    /** Kind and id, for the log. */
    @Override
    public String toString() {
        return kind + " " + id;
    }
}
