// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.Claim.JointResult;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.Handling;
import io.safebunny.middleware.Next;
import io.safebunny.observation.Metrics;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.recovery.RecoveryAction.RecordEffect;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordState;
import io.safebunny.time.Timeline;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Claims by a committed record that others respect for a lease, renewed while the handler runs. Steps are kept in the same
 * record. Thread-safe.
 */
final class LeasedClaims implements Claims {

    private final MessageStore store;
    private final Timeline timeline;
    private final Metrics metrics;
    private final DedupLog log;
    private final StoreFailures failures;
    private final Claiming claiming;
    private final Renewals renewals;
    private final SuspectLock suspects;

    /** @param blocking runs the renewals, which wait for the store */
    LeasedClaims(
            MessageStore store,
            Timeline timeline,
            Executor blocking,
            Metrics metrics,
            DedupLog log,
            DedupOptions options,
            Claiming claiming) {
        this.store = store;
        this.timeline = timeline;
        this.metrics = metrics;
        this.log = log;
        this.failures = new StoreFailures(log);
        this.claiming = claiming;
        this.renewals = new Renewals(timeline, blocking, options.lease(), log);
        this.suspects =
                new SuspectLock(options.quarantine(), options.lease(), claiming.comeBack(options.lease()), timeline);
    }

    @Override
    public MessageClaim of(Handling handling) {
        return new Leased(handling);
    }

    @Override
    public void start() {
        renewals.start();
    }

    @Override
    public void stop() {
        renewals.stop();
    }

    private final class Leased implements MessageClaim {

        private final Handling handling;
        private @Nullable Claim held;
        /** Whether steps may be kept apart that are not in the claim's record yet. */
        private boolean mayBeApart = store.mayKeepStepsApart();

        Leased(Handling handling) {
            this.handling = handling;
        }

        private Claim claim() {
            return Objects.requireNonNull(held, "Nothing is claimed");
        }

        @Override
        public MessageRecord take() {
            long before = timeline.nanoTime();
            MessageRecord record = failures.claimed(handling.message().id(), () -> claiming.claim(handling, false));
            if (record.state() == RecordState.CLAIMED) {
                Claim ours = new Claim(store, timeline, log, record, before);
                held = ours;
                renewals.add(ours);
            }
            return record;
        }

        @Override
        public void run(Next handler) throws Exception {
            Runnable leave = suspects.enter(claim().record());
            try {
                handler.run();
            } finally {
                leave.run();
            }
        }

        @Override
        public @Nullable MessageRecord complete() {
            Claim claim = claim();
            JointResult result;
            try {
                result = claim.writeTogetherSurely(
                        claimed -> claimed.completed(handling.collected()),
                        handling.records().joined());
            } catch (RecordRefusedException e) {
                throw StoreFailures.refused(e);
            } catch (NotHandledException e) {
                throw e;
            } catch (RuntimeException e) {
                throw failures.noAnswer(handling.message().id(), e);
            }
            return switch (result) {
                case WRITTEN -> claim.record();
                case OVERTAKEN -> null;
                case LOST -> {
                    metrics.claimLost(handling.message().type());
                    throw claim.lost();
                }
            };
        }

        @Override
        public void release(Throwable failure, RecoveryAction next) {
            Claim claim = claim();
            boolean ours;
            try {
                ours = next.record() == RecordEffect.POISONED
                        ? setAside(claim, next)
                        : claim.write(claimed -> Claiming.released(claimed, next));
                Claiming.keepPoisonVersion(handling, claim.record());
            } catch (RuntimeException e) {
                log.noAnswer(claim.record().key().messageId(), "its claim ends with the lease", e);
                return;
            }
            if (!ours && !(failure instanceof NotHandledException)) {
                throw claim.lost();
            }
        }

        /** Together with what depends on it, which others may change meanwhile. */
        private boolean setAside(Claim claim, RecoveryAction next) {
            Map<String, String> apart = stepsApart(claim);
            SetAsideWrites together = new SetAsideWrites(handling, store);
            JointResult result;
            do {
                result = claim.writeTogether(
                        claimed -> withMore(Claiming.released(claimed, next), apart), together.read());
            } while (result == JointResult.OVERTAKEN && together.mayTryAgain());
            if (result == JointResult.OVERTAKEN) {
                throw together.overtakenTooOften();
            }
            if (result == JointResult.WRITTEN) {
                together.written();
            }
            return result == JointResult.WRITTEN;
        }

        @Override
        public void close() {
            if (held != null) {
                renewals.remove(held);
            }
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
            Claim claim = claim();
            if (mayBeApart && !claim.record().steps().containsKey(name)) {
                Map<String, String> apart = stepsApart(claim);
                if (!apart.isEmpty()) {
                    write(claim, name, apart);
                }
                mayBeApart = false;
            }
            String known = claim.record().steps().get(name);
            if (known == null) {
                claim.requireAlive();
            }
            return known;
        }

        /** Written into the message's own record, they are kept as long as that is. */
        private Map<String, String> stepsApart(Claim claim) {
            if (!mayBeApart) {
                return Map.of();
            }
            try {
                MessageRecord apart =
                        ApartSteps.find(store::find, claim.record().key());
                return apart != null && ApartSteps.isOf(handling.message(), apart) ? apart.steps() : Map.of();
            } catch (RuntimeException e) {
                throw failures.noAnswer(handling.message().id(), e);
            }
        }

        @Override
        public void store(String name, String json) {
            write(claim(), name, Map.of(name, json));
        }

        private void write(Claim claim, String name, Map<String, String> more) {
            boolean ours;
            try {
                ours = claim.writeSurely(claimed -> withMore(claimed.next(RecordState.CLAIMED), more));
            } catch (NotHandledException e) {
                throw e;
            } catch (RecordRefusedException e) {
                throw StoreFailures.refusedStep(name, e);
            } catch (ApplicationCodeException e) {
                throw StoreFailures.unstoredStep(name, e);
            } catch (RuntimeException e) {
                throw failures.noAnswer(handling.message().id(), e);
            }
            if (!ours) {
                throw claim.lost();
            }
        }

        private static MessageRecord withMore(MessageRecord record, Map<String, String> more) {
            Map<String, String> steps = new LinkedHashMap<>(record.steps());
            steps.putAll(more);
            return record.withSteps(steps);
        }
    }
}
