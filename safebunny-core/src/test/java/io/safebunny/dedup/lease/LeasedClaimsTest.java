// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.lease;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.DedupBench;
import io.safebunny.dedup.claim.Claim;
import io.safebunny.dedup.claim.Claim.Completion;
import io.safebunny.dedup.claim.Claim.NotWritten;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.dedup.lease.LeasedClaims.Leased;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.InterveningStore;
import io.safebunny.fixture.UnreliableStore.Fault;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords;
import io.safebunny.handling.Membership;
import io.safebunny.handling.Run;
import io.safebunny.message.PoisonReason;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeasedClaimsTest {

    private final DedupBench bench = new DedupBench();
    private final LeasedClaims claims = claims();
    private final Handling handling = new Handling(new CurrentHandling(), MESSAGE);

    private LeasedClaims claims() {
        return claims(bench.store);
    }

    private LeasedClaims claims(MessageStore store) {
        DedupLog log = new DedupLog(new BoundedLog(bench.timeline, ExceptionDetails.FULL));
        Node node = bench.node(store);
        return new LeasedClaims(node, log, new Ownership(node, log));
    }

    private Leased take() {
        return take(claims);
    }

    private Leased take(LeasedClaims from) {
        return (Leased) ((Ours) from.claim(handling)).claim();
    }

    private static Run run() {
        return new Run(List.of(), JointRecords.NONE, null);
    }

    private static RecordState written(Completion completion) {
        return Objects.requireNonNull(((Written) completion).toSend()).state();
    }

    private static Failed released(Claim claim, Function<Throwable, Failed> ending) {
        IOException failure = new IOException("failed");
        return claim.release(failure, ending.apply(failure));
    }

    private static Poisoned setAside(Claimed claimed) {
        return ((Claimed.SetAside) claimed).ending();
    }

    private static Failed retried(Throwable failure) {
        return Ending.retried(Duration.ZERO, failure);
    }

    private static Failed poisoned(Throwable failure) {
        return Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure);
    }

    private void takenOver() {
        claims.stop();
        Handling another = new Handling(new CurrentHandling(), MESSAGE);
        LeasedClaims other = claims();
        assertThat(other.claim(another)).isInstanceOf(Busy.class);
        bench.timeline.advance(LEASE);
        assertThat(other.claim(another)).isInstanceOf(Ours.class);
        assertThat(bench.stored().state()).isEqualTo(RecordState.CLAIMED);
    }

    @Test
    void renewsItsClaimUntilItIsClosed() {
        claims.start();
        Claim claim = take();
        long version = bench.stored().version();
        bench.timeline.advance(LEASE.multipliedBy(3));
        long renewed = bench.stored().version();
        claim.close();
        bench.timeline.advance(LEASE.multipliedBy(3));

        assertThat(renewed).isGreaterThan(version);
        assertThat(bench.stored().version()).isEqualTo(renewed);
    }

    /** A store of somebody else's may throw, after it has written the claim. */
    @Test
    void renewsNoClaimThatNobodyWasGiven() {
        LeasedClaims failing = claims(new ForwardingMessageStore(bench.store) {
            @Override
            public boolean mayKeepStepsApart() {
                throw new IllegalStateException("broken");
            }
        });
        failing.start();

        assertThat(failing.claim(handling)).isInstanceOf(Busy.class);

        Handling another = new Handling(new CurrentHandling(), MESSAGE);
        LeasedClaims other = claims();
        assertThat(other.claim(another)).isInstanceOf(Busy.class);
        bench.timeline.advance(LEASE);
        assertThat(other.claim(another)).isInstanceOf(Ours.class);
        failing.stop();
    }

    @Test
    void doesNotReleaseWhatIsWrittenAsHandled() {
        Claim claim = take();
        RecordState handled = written(claim.complete(run()));

        assertThat(released(claim, LeasedClaimsTest::retried)).isInstanceOf(Returned.class);

        assertThat(bench.stored().state()).isEqualTo(handled);
    }

    @Test
    void givesTheRecordOfAHandledMessageAndHoldsNothing() {
        Claim claim = take();
        assertThat(written(claim.complete(run()))).isEqualTo(RecordState.DISPATCHED);
        claim.close();
        claims.start();

        assertThat(claims.claim(handling))
                .isInstanceOfSatisfying(
                        Done.class, done -> assertThat(done.record().state()).isEqualTo(RecordState.DISPATCHED));
        long version = bench.stored().version();
        bench.timeline.advance(LEASE);
        assertThat(bench.stored().version()).isEqualTo(version);
    }

    @Test
    void keepsStepsInTheRecordThatLaterAttemptsClaim() {
        Leased claim = take();
        claim.store("charge", "7");
        Failed unused = released(claim, LeasedClaimsTest::retried);
        claim.close();
        assertThat(bench.stored().state()).isEqualTo(RecordState.RELEASED);
        assertThat(bench.stored().attempt()).isEqualTo(1);

        Leased second = take();
        assertThat(second.find("charge")).isEqualTo("7");
        assertThat(handling.message().attempt()).isEqualTo(1);
    }

    @Test
    void beginsNoStepWhenItsLeaseIsOverButKnowsWhatWasDone() {
        Leased claim = take();
        claim.store("charge", "7");
        bench.timeline.advance(LEASE);

        assertThat(claim.find("charge")).isEqualTo("7");
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> claim.find("another"));
    }

    @Test
    void leavesWhatBecomesOfTheMessageToWhoTookItOver() {
        Leased claim = take();
        takenOver();

        assertThat(released(claim, LeasedClaimsTest::retried))
                .isInstanceOfSatisfying(Returned.class, comesBack -> assertThat(comesBack.failure())
                        .isInstanceOf(NotHandledException.class));
        assertThat(claim.complete(run())).isInstanceOfSatisfying(NotWritten.class, lost -> assertThat(lost.failure())
                .isInstanceOf(NotHandledException.class));
        assertThat(bench.stored().state()).isEqualTo(RecordState.CLAIMED);
    }

    /** That it was not handled is said already, and why. */
    @Test
    void addsNothingToAFailureThatSaysTheMessageWasNotHandled() {
        Leased claim = take();
        takenOver();

        NotHandledException lost = NotHandledException.later("lost", Duration.ZERO);
        Failed ending = Returned.because(lost);
        assertThat(claim.release(lost, ending)).isSameAs(ending);
    }

    @Test
    void endsWithItsLeaseWhenTheStoreDoesNotAnswerAtTheEnd() {
        Leased claim = take();
        bench.store.down(true);

        assertThat(released(claim, LeasedClaimsTest::retried)).isInstanceOf(Retried.class);
        assertThat(claim.complete(run())).isInstanceOfSatisfying(NotWritten.class, away -> assertThat(away.failure())
                .isInstanceOfSatisfying(NotHandledException.class, e -> assertThat(e.isTrouble())
                        .isTrue()));
    }

    @Test
    void isLostWhenAnotherTookItOverSinceTheStoreGaveNoAnswer() {
        Leased claim = take();
        bench.store.nextWrites(Fault.LOST_REQUEST);
        Failed unused = released(claim, LeasedClaimsTest::retried);
        takenOver();

        assertThat(claim.complete(run())).isInstanceOf(NotWritten.class);
        assertThat(bench.stored().state()).isEqualTo(RecordState.CLAIMED);
    }

    /** The version in the way is our own, whose answer got lost; then it is not ours any more. */
    @Test
    void isLostWhenAnotherTakesItOverWhileALostAnswerIsCleared() {
        LeasedClaims renewing = claims(new OvertakenAfterFind());
        Leased slow = take(renewing);
        renewing.start();
        bench.store.nextWrites(Fault.LOST_ANSWER);
        bench.timeline.advance(LEASE.dividedBy(2));
        renewing.stop();

        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> slow.store("charge", "7"));
        assertThat(bench.stored().steps()).isEmpty();
    }

    /** Without it the poison copy could not be replayed. */
    @Test
    void keepsTheVersionOfARecordThatIsSetAsideForItsPoisonCopy() {
        Leased claim = take();

        Failed ending = released(claim, LeasedClaimsTest::poisoned);

        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(((Poisoned) ending).stored().version())
                .isEqualTo(bench.stored().version());
    }

    @Test
    void keepsNoVersionOfARecordThatIsOnlyReleased() {
        Leased claim = take();

        Failed ending = released(claim, LeasedClaimsTest::retried);

        assertThat(ending).isInstanceOf(Retried.class);
    }

    /** An older poison copy is refused; the copy that is made of it must be one that can be replayed. */
    @Test
    void givesARefusedReplayTheVersionByWhichItCanBeReplayed() {
        bench.poison();

        assertThat(setAside(claims.claim(handling)).stored().version())
                .isEqualTo(bench.stored().version());
    }

    @Test
    void givesAMessageThatEndsItsProcessTheVersionByWhichItCanBeReplayed() {
        Claim unused = take();
        claims.stop();
        for (int taken = 1; taken <= DedupBench.TAKEOVER_LIMIT; taken++) {
            takenOver();
        }
        bench.timeline.advance(LEASE);
        Handling last = new Handling(new CurrentHandling(), MESSAGE);
        LeasedClaims refusing = claims();

        assertThat(refusing.claim(last)).isInstanceOf(Busy.class);
        bench.timeline.advance(LEASE);
        Poisoned ending = setAside(refusing.claim(last));

        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(ending.stored().version()).isEqualTo(bench.stored().version());
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
        handling.belongsTo(new Membership(
                MESSAGE.correlationId(),
                (reason, stored) -> JointRecords.NONE.with(companion(stored.apply(COMPANION), "stuck"))));
        MessageRecord unused =
                bench.store.create(MessageRecord.claim(DedupBench.KEY, "dead", LEASE, 0, Fingerprint.of(MESSAGE))
                        .withTakeovers(5));
        assertThat(by.claim(handling)).isInstanceOf(Busy.class);
        bench.timeline.advance(LEASE);
    }

    private @Nullable String companionContent() {
        MessageRecord stored = bench.store.find(COMPANION);
        return stored == null ? null : stored.steps().get("saga");
    }

    @Test
    void isSetAsideTogetherWithWhatDependsOnIt() {
        silentTooOften(claims);
        Poisoned ending = setAside(claims.claim(handling));

        assertThat(ending.reason()).isEqualTo(PoisonReason.DELIVERY_LIMIT);
        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(ending.stored().version()).isEqualTo(bench.stored().version());
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
        assertThat(intervened.claim(handling)).isInstanceOf(Busy.class);
        assertThat(bench.stored().state()).isEqualTo(RecordState.CLAIMED);
        assertThat(companionContent()).isEqualTo("theirs");

        assertThat(intervened.claim(handling)).isInstanceOf(Claimed.SetAside.class);
        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThat(companionContent()).isEqualTo("stuck");
    }
}
