// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.lease;

import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.dedup.claim.Claim;
import io.safebunny.dedup.claim.Claim.NotWritten;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Claims;
import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.claim.RecordRules;
import io.safebunny.dedup.claim.RecordWrites;
import io.safebunny.dedup.claim.SeparateClaims;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.dedup.claim.StoreFailures;
import io.safebunny.dedup.claim.StoredSteps;
import io.safebunny.dedup.claim.UndoFence;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.PoisonRecord;
import io.safebunny.failure.policy.PoisonRecord.By;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Run;
import io.safebunny.node.Node;
import io.safebunny.observation.Metrics;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Claims by a committed record that others respect for a lease, renewed while the handler runs. Steps are kept in the same
 * record. Thread-safe.
 */
public final class LeasedClaims implements Claims {

    /** More than the writers of one lane that are active at once. */
    private static final int MOST_TRIES = 20;

    private final MessageStore store;
    private final Timeline timeline;
    private final Metrics metrics;
    private final DedupLog log;
    private final StoreFailures failures;
    private final Ownership ownership;
    private final Renewals renewals;
    private final SuspectLock suspects;
    private final UndoFence fence;

    public LeasedClaims(Node node, DedupLog log, Ownership ownership) {
        Duration lease = node.options().lease();
        this.store = node.requireStore();
        this.timeline = node.timeline();
        this.metrics = node.metrics();
        this.log = log;
        this.failures = new StoreFailures(log);
        this.ownership = ownership;
        this.fence = new UndoFence(store, timeline, log, ownership);
        this.renewals = new Renewals(timeline, node.workers(), lease, log);
        this.suspects = new SuspectLock(ownership.quarantine(), lease, ownership.comeBack(lease), timeline);
    }

    @Override
    public Claimed claim(Handling handling) {
        return claim(handling, ours -> ownership.claim(handling, null, ours));
    }

    /** What may have ended its process, or has failed, is left alone. */
    @Override
    public SharedClaims claimBatch(List<Handling> messages) {
        return new SeparateClaims(message -> claim(message, ours -> ownership.claimUndecided(message, ours)), messages);
    }

    private Claimed claim(Handling handling, Function<Function<MessageRecord, Claim>, Claimed> owner) {
        long before = timeline.nanoTime();
        Claimed claimed = failures.claimed(
                handling.message().id(),
                () -> owner.apply(
                        record -> new Leased(handling, new LeasedRecord(store, timeline, log, record, before))));
        if (claimed instanceof Ours ours && ours.claim() instanceof Leased leased) {
            renewals.add(leased.held); // last: only what the caller closes is renewed
        }
        return claimed;
    }

    @Override
    public void start() {
        renewals.start();
    }

    @Override
    public void stop() {
        renewals.stop();
    }

    final class Leased implements Claim {

        private final Handling handling;
        private final LeasedRecord held;
        /** Whether steps may be kept apart that are not in the claim's record yet. */
        private boolean mayBeApart = store.mayKeepStepsApart();

        private Leased(Handling handling, LeasedRecord held) {
            this.handling = handling;
            this.held = held;
        }

        @Override
        public boolean isUnanswered() {
            return held.isUnsure();
        }

        @Override
        public Hold enter() throws InterruptedException {
            Hold entered = suspects.enter(held.record());
            try {
                fence.bar(handling);
                return entered;
            } catch (Throwable failure) {
                entered.close();
                throw failure;
            }
        }

        @Override
        public Completion complete(Run run) {
            JointWrite result;
            try {
                result = completed(run);
            } catch (RuntimeException e) {
                return failures.notWritten(handling, e);
            }
            if (result instanceof JointWrite.Written) {
                return new Written(held.record(), run.joined().whenWritten());
            }
            if (RecordWrites.isCompanionOvertaken(result, handling.key())) {
                return Completion.OVERTAKEN;
            }
            metrics.claimLost(handling.message().type());
            return new NotWritten(held.lost());
        }

        /** What is written of the message's lane is read anew as long as others change it: the run is done. */
        private JointWrite completed(Run run) {
            LaneTurn turn = handling.turn();
            for (int tries = 1; ; tries++) {
                List<MessageRecord> together = new ArrayList<>(run.joined().records());
                if (turn != null) {
                    together.addAll(turn.whenHandled(store::find, held.record().owner()));
                }
                JointWrite result = held.writeTogetherSurely(
                        claimed -> claimed.withTrail(handling.trail()).completed(run.publications()), together);
                if (turn != null && result instanceof JointWrite.Written) {
                    turn.isWritten();
                }
                if (turn == null
                        || tries == MOST_TRIES
                        || !(result instanceof JointWrite.Overtaken by)
                        || !turn.isOfLane(by.key())) {
                    return result;
                }
            }
        }

        @Override
        public Failed release(Throwable failure, Failed ending) {
            if (held.record().state() != RecordState.CLAIMED) { // written as handled, whatever failed since then
                return failures.othersByNow(
                        failure,
                        NotHandledException.later(
                                "Message %s is recorded as handled"
                                        .formatted(handling.message().id()),
                                Duration.ZERO));
            }
            boolean ours;
            PoisonRecord stored;
            try {
                ours = RecordWrites.isJoint(handling, ending)
                        ? ended(ending)
                        : held.write(claimed -> RecordRules.released(claimed, ending, handling));
                stored = RecordRules.poisonRecord(handling.message(), held.record(), By.THIS_DELIVERY);
            } catch (RuntimeException e) {
                if (e instanceof RecordRefusedException refused
                        && handling.turn() != null
                        && ending instanceof Retried) {
                    return release(failure, StoreFailures.notKept(refused, failure));
                }
                log.noAnswer(held.record().key().messageId(), "its claim ends with the lease", e);
                if (handling.turn() != null) {
                    handling.turn().isUnanswered();
                }
                return ending;
            }
            if (!ours && !(failure instanceof NotHandledException)) {
                return failures.othersByNow(failure, held.lost());
            }
            return ending instanceof Poisoned poisoned ? poisoned.storedAs(stored) : ending;
        }

        /** Together with what depends on it, which others may change meanwhile. */
        private boolean ended(Failed ending) {
            Map<String, String> apart = ending instanceof Poisoned ? stepsApart() : Map.of();
            JointWrite result = RecordWrites.ended(
                    store,
                    handling,
                    ending,
                    held.record().owner(),
                    companions -> held.writeTogether(
                            claimed -> withMore(RecordRules.released(claimed, ending, handling), apart), companions));
            return result instanceof JointWrite.Written;
        }

        @Override
        public void close() {
            renewals.remove(held);
        }

        // ---- companions

        @Override
        public @Nullable MessageRecord companion(RecordKey key) {
            try {
                return store.find(key);
            } catch (RuntimeException e) {
                throw failures.unread(handling.message().id(), e);
            }
        }

        // ---- steps

        @Override
        public @Nullable String find(String name) {
            if (mayBeApart && !held.record().steps().containsKey(name)) {
                Map<String, String> apart = stepsApart();
                if (!apart.isEmpty()) {
                    write(name, apart);
                }
                mayBeApart = false;
            }
            String known = held.record().steps().get(name);
            if (known == null) {
                held.requireAlive();
            }
            return known;
        }

        /** Written into the message's own record, they are kept as long as that is. */
        private Map<String, String> stepsApart() {
            if (!mayBeApart) {
                return Map.of();
            }
            try {
                MessageRecord apart =
                        StoredSteps.find(store::find, held.record().key());
                return apart != null && StoredSteps.isOf(handling.message(), apart) ? apart.steps() : Map.of();
            } catch (RuntimeException e) {
                throw failures.noAnswer(handling, e);
            }
        }

        @Override
        public void store(String name, String json) {
            write(name, Map.of(name, json));
        }

        private void write(String name, Map<String, String> more) {
            boolean ours;
            try {
                ours = held.writeSurely(claimed -> withMore(claimed.next(RecordState.CLAIMED), more));
            } catch (NotHandledException e) {
                throw e;
            } catch (RecordRefusedException e) {
                throw StoreFailures.refusedStep(name, e);
            } catch (ApplicationCodeException e) {
                throw StoreFailures.unstoredStep(name, e);
            } catch (RuntimeException e) {
                throw failures.noAnswer(handling, e);
            }
            if (!ours) {
                throw held.lost();
            }
        }

        private static MessageRecord withMore(MessageRecord record, Map<String, String> more) {
            Map<String, String> steps = new LinkedHashMap<>(record.steps());
            steps.putAll(more);
            return record.withSteps(steps);
        }
    }
}
