// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.ExceptionDetails;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import io.safebunny.spi.store.RecordState;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeasedClaimsTest {

    private final DedupBench bench = new DedupBench();
    private final LeasedClaims claims = claims();
    private final Handling handling = new Handling(new CurrentHandling(), MESSAGE);
    private final MessageClaim claim = claims.of(handling);

    private LeasedClaims claims() {
        DedupLog log = new DedupLog(new BoundedLog(bench.timeline, ExceptionDetails.FULL));
        DedupOptions options = new DedupOptions(LEASE, 5);
        Metrics metrics = new Metrics(bench.meters);
        return new LeasedClaims(
                bench.store,
                bench.timeline,
                Runnable::run,
                metrics,
                log,
                options,
                new Claiming(bench.store, bench.timeline, metrics, log, options));
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
        assertThat(claim.complete().state()).isEqualTo(RecordState.DISPATCHED);
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
}
