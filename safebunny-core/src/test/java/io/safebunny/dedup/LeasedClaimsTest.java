// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.fixture.InterveningStore;
import io.safebunny.fixture.Unheard;
import io.safebunny.fixture.UnreliableStore.Fault;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction.Poison;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import io.safebunny.recovery.RecoveryAction.RetryNow;
import io.safebunny.store.Fingerprint;
import io.safebunny.store.ForwardingMessageStore;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeasedClaimsTest {

    private final DedupBench bench = new DedupBench();
    private final LeasedClaims claims = claims();
    private final Handling handling = new Handling(new CurrentHandling(), MESSAGE);
    private final MessageClaim claim = claims.of(handling);

    private LeasedClaims claims() {
        return claims(bench.store);
    }

    private LeasedClaims claims(MessageStore store) {
        DedupLog log = new DedupLog(new BoundedLog(bench.timeline, ExceptionDetails.FULL));
        DedupOptions options = new DedupOptions(LEASE, 5, DedupBench.RETENTION);
        Metrics metrics = new Metrics(bench.meters);
        return new LeasedClaims(
                store,
                bench.timeline,
                Runnable::run,
                metrics,
                log,
                options,
                new Claiming(store, bench.timeline, metrics, Unheard.events(bench.timeline), log, options));
    }

    private void takenOver() {
        claims.stop();
        MessageClaim other = claims().of(new Handling(new CurrentHandling(), MESSAGE));
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(other::take);
        bench.timeline.advance(LEASE);
        assertThat(other.take().state()).isEqualTo(RecordState.CLAIMED);
    }

    @Test
    void renewsItsClaimUntilItIsClosed() {
        claims.start();
        long version = claim.take().version();
        bench.timeline.advance(LEASE.multipliedBy(3));
        long renewed = bench.stored().version();
        claim.close();
        bench.timeline.advance(LEASE.multipliedBy(3));

        assertThat(renewed).isGreaterThan(version);
        assertThat(bench.stored().version()).isEqualTo(renewed);
    }

    @Test
    void givesTheRecordOfAHandledMessageAndHoldsNothing() {
        claim.take();
        assertThat(Objects.requireNonNull(claim.complete()).state()).isEqualTo(RecordState.DISPATCHED);
        claim.close();
        claims.start();

        MessageClaim second = claims.of(handling);
        assertThat(second.take().state()).isEqualTo(RecordState.DISPATCHED);
        second.close();
        long version = bench.stored().version();
        bench.timeline.advance(LEASE);
        assertThat(bench.stored().version()).isEqualTo(version);
    }

    @Test
    void keepsStepsInTheRecordThatLaterAttemptsClaim() {
        claim.take();
        claim.store("charge", "7");
        claim.release(new IOException("failed"), new RetryDelayed(Duration.ZERO));
        claim.close();
        assertThat(bench.stored().state()).isEqualTo(RecordState.RELEASED);
        assertThat(bench.stored().attempt()).isEqualTo(1);

        MessageClaim second = claims.of(handling);
        second.take();
        assertThat(second.find("charge")).isEqualTo("7");
        assertThat(handling.message().attempt()).isEqualTo(1);
    }

    @Test
    void beginsNoStepWhenItsLeaseIsOverButKnowsWhatWasDone() {
        claim.take();
        claim.store("charge", "7");
        bench.timeline.advance(LEASE);

        assertThat(claim.find("charge")).isEqualTo("7");
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> claim.find("another"));
    }

    @Test
    void leavesWhatBecomesOfTheMessageToWhoTookItOver() {
        claim.take();
        takenOver();

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> claim.release(new IOException("failed"), new RetryDelayed(Duration.ZERO)));
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(claim::complete);
        assertThat(bench.stored().state()).isEqualTo(RecordState.CLAIMED);
    }

    /** That it was not handled is said already, and why. */
    @Test
    void addsNothingToAFailureThatSaysTheMessageWasNotHandled() {
        claim.take();
        takenOver();

        assertThatCode(() -> claim.release(
                        NotHandledException.later("lost", Duration.ZERO), new RetryDelayed(Duration.ZERO)))
                .doesNotThrowAnyException();
    }

    @Test
    void endsWithItsLeaseWhenTheStoreDoesNotAnswerAtTheEnd() {
        claim.take();
        bench.store.down(true);

        assertThatCode(() -> claim.release(new IOException("failed"), new RetryDelayed(Duration.ZERO)))
                .doesNotThrowAnyException();
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(claim::complete)
                .satisfies(e -> assertThat(e.isTrouble()).isTrue());
    }

    @Test
    void isLostWhenAnotherTookItOverSinceTheStoreGaveNoAnswer() {
        claim.take();
        bench.store.nextWrites(Fault.LOST_REQUEST);
        claim.release(new IOException("failed"), new RetryDelayed(Duration.ZERO));
        takenOver();

        assertThatExceptionOfType(NotHandledException.class).isThrownBy(claim::complete);
        assertThat(bench.stored().state()).isEqualTo(RecordState.CLAIMED);
    }

    /** The version in the way is our own, whose answer got lost; then it is not ours any more. */
    @Test
    void isLostWhenAnotherTakesItOverWhileALostAnswerIsCleared() {
        MessageClaim slow = claims(new OvertakenAfterFind()).of(handling);
        slow.take();
        bench.store.nextWrites(Fault.LOST_ANSWER);
        slow.release(new IOException("failed"), new RetryNow(Duration.ZERO));

        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> slow.store("charge", "7"));
        assertThat(bench.stored().steps()).isEmpty();
    }

    /** Without it the poison copy could not be replayed. */
    @Test
    void keepsTheVersionOfARecordThatIsSetAsideForItsPoisonCopy() {
        claim.take();

        claim.release(new IOException("failed"), new Poison(PoisonReason.RETRIES_EXHAUSTED));

        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(handling.poisonVersion()).isEqualTo(bench.stored().version());
    }

    @Test
    void keepsNoVersionOfARecordThatIsOnlyReleased() {
        claim.take();

        claim.release(new IOException("failed"), new RetryDelayed(Duration.ZERO));

        assertThat(handling.poisonVersion()).isNotEqualTo(bench.stored().version());
    }

    /** An older poison copy is refused; the copy that is made of it must be one that can be replayed. */
    @Test
    void givesARefusedReplayTheVersionByWhichItCanBeReplayed() {
        bench.poison();

        assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(claim::take);

        assertThat(handling.poisonVersion()).isEqualTo(bench.stored().version());
    }

    @Test
    void givesAMessageThatEndsItsProcessTheVersionByWhichItCanBeReplayed() {
        claim.take();
        claims.stop();
        for (int taken = 1; taken <= DedupBench.TAKEOVER_LIMIT; taken++) {
            takenOver();
        }
        bench.timeline.advance(LEASE);
        Handling last = new Handling(new CurrentHandling(), MESSAGE);
        MessageClaim refused = claims().of(last);

        assertThatExceptionOfType(NotHandledException.class).isThrownBy(refused::take);
        bench.timeline.advance(LEASE);
        assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(refused::take);

        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(last.poisonVersion()).isEqualTo(bench.stored().version());
    }

    /** Right after each look at a claimed record, another delivery takes it over. */
    private final class OvertakenAfterFind extends ForwardingMessageStore {

        OvertakenAfterFind() {
            super(bench.store);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            MessageRecord found = bench.store.find(key);
            if (found != null) {
                assertThat(bench.store.replace(found.claimedBy("another", LEASE, 0, 1)))
                        .isNotNull();
            }
            return found;
        }

        @Override
        public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
            return List.of();
        }

        @Override
        public int removeExpired(int limit) {
            return 0;
        }
    }

    // ---- a claim that falls silent too often

    private static final RecordKey COMPANION = DedupBench.KEY.companion("saga");

    private static MessageRecord companion(@Nullable MessageRecord stored, String content) {
        MessageRecord first = MessageRecord.claim(COMPANION, "application", Duration.ZERO, 0, Fingerprint.of(MESSAGE));
        return stored == null
                ? first.withSteps(Map.of("saga", content))
                : stored.nextSteps("application", Map.of("saga", content));
    }

    /** It is found to be silent by the next delivery that the claims get. */
    private void silentTooOften(LeasedClaims by) {
        handling.records().whenSetAside(stored -> List.of(companion(stored.companion(COMPANION), "stuck")));
        MessageRecord unused =
                bench.store.create(MessageRecord.claim(DedupBench.KEY, "dead", LEASE, 0, Fingerprint.of(MESSAGE))
                        .withTakeovers(5));
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> by.of(handling).take());
        bench.timeline.advance(LEASE);
    }

    private @Nullable String companionContent() {
        MessageRecord stored = bench.store.find(COMPANION);
        return stored == null ? null : stored.steps().get("saga");
    }

    @Test
    void isSetAsideTogetherWithWhatDependsOnIt() {
        silentTooOften(claims);
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> claims.of(handling).take())
                .satisfies(e -> assertThat(e.reason()).isEqualTo(PoisonReason.DELIVERY_LIMIT));

        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(handling.poisonVersion()).isEqualTo(bench.stored().version());
        assertThat(companionContent()).isEqualTo("stuck");
    }

    @Test
    void isSetAsideByTheNextDeliveryWhenWhatDependsOnItIsChangedMeanwhile() {
        InterveningStore intervening = new InterveningStore(bench.store);
        LeasedClaims intervened = claims(intervening);
        silentTooOften(intervened);
        int[] writes = {0};
        intervening.beforeWrite(() -> {
            if (writes[0]++ == 1) { // after the claim
                bench.store.writeTogether(List.of(companion(null, "theirs")));
            }
        });
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> intervened.of(handling).take());
        assertThat(bench.stored().state()).isEqualTo(RecordState.CLAIMED);
        assertThat(companionContent()).isEqualTo("theirs");

        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> intervened.of(handling).take());
        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(companionContent()).isEqualTo("stuck");
    }
}
