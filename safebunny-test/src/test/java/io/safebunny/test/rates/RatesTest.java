// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.rates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.ThrottledException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.rate.leasing.RateLimit;
import io.safebunny.rate.leasing.RateLimits;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.rates.RateWorld.Instance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a rate promises, in virtual time: on all instances together, paced and not failed. */
@Timeout(120)
@Tag("once")
class RatesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final RateWorld world = new RateWorld();
    private boolean isDown;
    private @Nullable Duration throttledAt;

    @AfterEach
    void close() {
        world.close();
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    @ParameterizedTest
    @CsvSource({
        "400/min, 60, 400",
        "100/10s, 10, 100",
        "500/10s, 10, 500",
        "30/min, 60, 30",
        "10/s, 1, 10",
        "50/s, 1, 50",
        "100/2s, 2, 100"
    })
    void threeInstancesShareItWhileOneDies(String rate, int window, int messages) {
        Instance first = world.start(rate);
        world.start(rate);
        world.start(rate);
        world.publish(4 * messages);

        world.scheduler.advance(seconds(window));
        first.dies();
        world.scheduler.advance(seconds(2L * window));

        assertThat(world.most(seconds(window))).isLessThanOrEqualTo(messages);
        long lost = messages / window / 2;
        for (int begin = 0; begin < 3 * window; begin += window) {
            assertThat(world.begunBetween(seconds(begin), seconds(begin + window)))
                    .as("from %s s", begin)
                    .isGreaterThanOrEqualTo(messages * 95L / 100 - (begin == window ? lost : 0));
        }
        assertThat(world.attempts).containsOnly(0);
        assertThat(world.broker.depth("mailer-poison")).isZero();
    }

    /** The fastest clock is that of all; until it is, each instance may use up what it has leased. */
    @ParameterizedTest
    @CsvSource({"-2, 2, 0", "2, -2, 0", "0, 0, 2", "0, 0, -2"})
    void clocksThatDifferCostABlockForEachInstance(int first, int second, int third) {
        world.start("400/min", seconds(first), world.store);
        world.start("400/min", seconds(second), world.store);
        world.publish(1_200);
        world.scheduler.advance(MINUTE);
        world.start("400/min", seconds(third), world.store);
        world.scheduler.advance(MINUTE);

        assertThat(world.most(MINUTE)).isLessThanOrEqualTo(400 + 3 * 4);
        assertThat(world.begunBetween(Duration.ZERO, MINUTE)).isGreaterThanOrEqualTo(380);
        assertThat(world.begunBetween(MINUTE, MINUTE.multipliedBy(2))).isGreaterThanOrEqualTo(380);
    }

    @Test
    void oneInAnHourIsOneInAnHourAndTheOthersComeBackAtNoCost() {
        world.start("1/h");
        Instance second = world.start("1/h");
        world.publish(3);

        world.scheduler.advance(HOUR.multipliedBy(4));

        assertThat(world.begun).hasSize(3);
        assertThat(world.most(Duration.ofMinutes(59))).isEqualTo(1);
        assertThat(world.begun.get(2)).isLessThan(HOUR.multipliedBy(3));
        assertThat(world.attempts).containsOnly(0);
        assertThat(world.broker.depth("mailer-poison")).isZero();
        assertThat(second.engine().get(RateLimits.class).statuses()).containsKey("MailRequested");
    }

    /** What is in the queue is left to other instances. */
    @Test
    void isNotConsumedWhileEnoughMessagesWait() {
        Instance only = world.start("6/min");
        world.publish(30);
        world.scheduler.advance(seconds(7));

        assertThat(world.begun).hasSize(1);
        assertThat(only.engine().get(RateLimits.class).statuses().get("MailRequested"))
                .returns(true, RateLimit.Status::paused);
        assertThat(world.broker.unsettled()).as("delivered").hasSizeLessThanOrEqualTo(2); // with a prefetch of 10
        world.scheduler.advance(MINUTE.multipliedBy(6));
        assertThat(world.begun).hasSize(30);
        assertThat(world.attempts).containsOnly(0);
    }

    @Test
    void nothingIsMadeUpForAfterAPause() {
        Instance only = world.start("100/10s");
        world.publish(1_000);
        world.scheduler.advance(seconds(5));

        only.process().pause(seconds(5));
        world.scheduler.advance(seconds(20));

        assertThat(world.most(seconds(10))).isLessThanOrEqualTo(101);
        assertThat(world.most(seconds(1))).isLessThanOrEqualTo(12);
    }

    @Test
    void retriesInMemoryCount() {
        world.recovery = RecoveryPolicy.of(RetryStrategy.of(3, Duration.ofMillis(1)), RetryStrategy.none());
        world.work = (mail, timeline) -> {
            throw new IllegalStateException("not now");
        };
        world.start("60/min");
        world.publish(20);

        world.scheduler.advance(MINUTE);

        assertThat(world.most(seconds(10))).isLessThanOrEqualTo(10);
        assertThat(world.begun).hasSizeGreaterThan(50);
    }

    @Test
    void whatAMiddlewareRepeatsCounts() {
        world.middlewares.add((message, next) -> {
            next.run();
            next.run();
        });
        world.start("60/min");
        world.publish(20);

        world.scheduler.advance(seconds(30));

        assertThat(world.begun).hasSizeBetween(29, 30);
        assertThat(world.most(seconds(10))).isLessThanOrEqualTo(10);
    }

    /** Nobody has seen that message, whatever a middleware makes of that. */
    @Test
    void noMiddlewareSwallowsThatAHandlerHadNoTurn() {
        world.middlewares.add((message, next) -> {
            try {
                next.run();
            } catch (Exception e) {
                // as if nothing had happened
            }
        });
        world.claim[0] = seconds(4);
        world.start("2/min");
        world.publish(1);
        world.scheduler.advance(seconds(6));
        assertThat(world.begun).isEmpty();

        world.claim[0] = Duration.ZERO;
        world.scheduler.advance(MINUTE);

        assertThat(world.begun).hasSize(1);
    }

    @Test
    void aClaimThatIsSlowEachTimeGetsItsTurnAtASlowRate() {
        world.claim[0] = Duration.ofMillis(700);
        world.start("1/11s");
        world.publish(5);

        world.scheduler.advance(MINUTE.multipliedBy(5));

        assertThat(world.begun).hasSize(5);
    }

    /** It holds its claim, and perhaps a transaction. */
    @Test
    void aRetryInMemoryGoesToTheHeadOfTheLine() {
        world.recovery = RecoveryPolicy.of(RetryStrategy.of(3, Duration.ofMillis(1)), RetryStrategy.none());
        List<Integer> numbers = new ArrayList<>();
        world.work = (mail, timeline) -> {
            numbers.add(mail.number());
            if (mail.number() == 0) {
                throw new IllegalStateException("not now");
            }
        };
        world.prefetch = 5;
        world.start("60/min");
        world.publish(30);

        world.scheduler.advance(seconds(30));

        assertThat(numbers.lastIndexOf(0) - numbers.indexOf(0)).isLessThanOrEqualTo(6);
        assertThat(Collections.frequency(numbers, 0)).isEqualTo(4);
    }

    @Test
    void aStopDuringTheWaitForARetryInMemoryCostsNoAttempt() {
        Instance first = failing("10/min", world.store);
        world.publish(1);
        world.scheduler.advance(seconds(3));

        first.process().begin(() -> first.engine().stop(seconds(30)));
        world.scheduler.advance(seconds(1));
        world.start("10/min");
        world.scheduler.advance(seconds(10));

        assertThat(world.attempts).hasSizeGreaterThan(1).containsOnly(0);
    }

    @Test
    void anOutageDuringTheWaitForARetryInMemoryCostsNoAttempt() {
        failing("10/min", world.unreadable(() -> {
            if (isDown) {
                throw new StoreUnavailableException("down", null, null);
            }
        }));
        world.work = (mail, timeline) -> {
            isDown = world.begun.size() == 1;
            throw new IllegalStateException("not now");
        };
        world.publish(1);
        world.scheduler.advance(MINUTE);
        assertThat(world.begun).hasSize(1);
        isDown = false;

        world.scheduler.advance(seconds(35));

        assertThat(world.attempts).hasSizeGreaterThan(1).containsOnly(0);
    }

    private Instance failing(String rate, MessageStore store) {
        world.recovery = RecoveryPolicy.of(RetryStrategy.of(9, Duration.ofMillis(1)), RetryStrategy.none());
        world.work = (mail, timeline) -> {
            throw new IllegalStateException("not now");
        };
        return world.start(rate, Duration.ZERO, store);
    }

    @Test
    void aRetryInMemoryThatWouldComeTooLateIsLeftOut() {
        world.recovery = RecoveryPolicy.of(
                RetryStrategy.of(3, Duration.ofMillis(1)), RetryStrategy.after(Duration.ofSeconds(1)));
        world.work = (mail, timeline) -> {
            throw new IllegalStateException("not now");
        };
        world.start("1/h");
        world.publish(1);

        world.scheduler.advance(HOUR.multipliedBy(3));

        assertThat(world.attempts).containsExactly(0, 1);
        assertThat(world.broker.depth("mailer-poison")).isEqualTo(1);
    }

    @Test
    void throttledAnywhereIsThrottledEverywhereAndHalfAsFastForAMinute() {
        world.work = (mail, timeline) -> {
            if (mail.number() == 100 && throttledAt == null) {
                throttledAt = world.scheduler.elapsed();
                throw new ThrottledException(seconds(20));
            }
        };
        world.start("600/min");
        Instance other = world.start("600/min");
        world.publish(3_000);

        world.scheduler.advance(seconds(300));

        Duration at = Objects.requireNonNull(throttledAt);
        assertThat(world.begunBetween(at.plusSeconds(1), at.plusSeconds(20))).isZero();
        assertThat(world.begunBetween(at.plusSeconds(20), at.plusSeconds(80))).isBetween(285L, 303L);
        assertThat(world.begunBetween(at.plusSeconds(90), at.plusSeconds(150))).isBetween(570L, 606L);
        assertThat(world.attempts).containsOnly(0);
        assertThat(other.meters().get("safebunny.rate.limit").gauge().value()).isEqualTo(10);
    }

    /** One that is slow must not have what others could use. */
    @ParameterizedTest
    @CsvSource({"100/s, 1, 100", "1000/10s, 10, 1000"})
    void slowHandlersOfSeveralInstancesUseAllOfIt(String rate, int window, int messages) {
        world.work = (mail, timeline) -> timeline.sleep(Duration.ofMillis(150));
        for (int instance = 0; instance < 3; instance++) {
            world.start(rate);
        }
        world.publish(5_000);

        world.scheduler.advance(seconds(40));

        assertThat(world.most(seconds(window))).isLessThanOrEqualTo(messages);
        assertThat(world.begunBetween(seconds(10), seconds(40))).isGreaterThanOrEqualTo(30 * 95L);
    }

    @Test
    void manyInstancesUseAllOfIt() {
        for (int instance = 0; instance < 20; instance++) {
            world.start("20/s");
        }
        world.publish(2_000);

        world.scheduler.advance(MINUTE);

        assertThat(world.most(seconds(1))).isLessThanOrEqualTo(20);
        assertThat(world.begunBetween(seconds(10), MINUTE)).isGreaterThanOrEqualTo(50 * 19L);
        assertThat(world.attempts).containsOnly(0);
    }

    /** Otherwise each message would be late, and need two turns. */
    @Test
    void aClaimThatTakesLongerThanATurnMayBeLateCostsNoTurn() {
        world.claim[0] = Duration.ofMillis(60);
        world.start("50/s");
        world.start("50/s");
        world.publish(3_000);

        world.scheduler.advance(seconds(40));

        assertThat(world.most(seconds(1))).isLessThanOrEqualTo(50);
        assertThat(world.begunBetween(seconds(10), seconds(40))).isGreaterThanOrEqualTo(30 * 50 * 95L / 100);
    }

    /** What was held up after its turn is not let in all at once. */
    @Test
    void whatWaitedForItsClaimIsNoBurst() {
        world.prefetch = 100;
        world.claim[0] = seconds(4);
        world.start("50/s");
        world.publish(1_000);
        world.scheduler.advance(seconds(3));
        world.claim[0] = seconds(1);
        world.scheduler.advance(Duration.ofMillis(500));
        world.claim[0] = Duration.ZERO;

        world.scheduler.advance(seconds(20));

        assertThat(world.begun).hasSizeGreaterThan(500);
        assertThat(world.most(seconds(1))).isLessThanOrEqualTo(50);
        assertThat(world.attempts).containsOnly(0);
    }

    /** The other one waits for its turn at that time, and knows nothing of it. */
    @Test
    void throttledAnywhereIsThrottledEverywhereForSlowRates() {
        world.work = (mail, timeline) -> {
            if (world.begun.size() == 1) {
                timeline.sleep(seconds(5));
                throw new ThrottledException(MINUTE.multipliedBy(5));
            }
        };
        world.start("2/min");
        world.start("2/min");
        world.publish(30);

        world.scheduler.advance(MINUTE.multipliedBy(10));

        assertThat(world.begunBetween(seconds(1), seconds(305))).isZero();
        assertThat(world.begunBetween(seconds(305), seconds(600))).isGreaterThan(5);
    }

    /** The rest is up to breakers, which can be closed. */
    @Test
    void aLongThrottleStopsOtherInstancesForTenMinutes() {
        world.work = (mail, timeline) -> {
            if (world.begun.size() == 1) {
                throw new ThrottledException(Duration.ofDays(1));
            }
        };
        world.start("60/min");
        world.start("60/min");
        world.publish(300);

        world.scheduler.advance(MINUTE.multipliedBy(15));

        assertThat(world.begunBetween(seconds(1), MINUTE.multipliedBy(10))).isZero();
        assertThat(world.begunBetween(MINUTE.multipliedBy(10), MINUTE.multipliedBy(15)))
                .isGreaterThan(200);
    }

    @Test
    void aRateThatIsCorrectedCountsAtOnce() {
        Instance wrong = world.start("1/d");
        world.publish(1);
        world.scheduler.advance(seconds(10));
        wrong.dies();
        assertThat(world.begun).hasSize(1);

        world.start("60/min");
        world.publish(20);
        world.scheduler.advance(seconds(15));

        assertThat(world.begun).hasSizeBetween(14, 16);
    }

    @Test
    void eachInstanceHasItByItselfWithoutAStore() {
        world.start("60/min", Duration.ZERO, null);
        world.start("60/min", Duration.ZERO, null);
        world.publish(1_000);

        world.scheduler.advance(MINUTE);

        assertThat(world.begun).hasSizeBetween(114, 124);
        assertThat(Collections.max(world.attempts)).isZero();
    }

    /** Messages could be claimed, but nobody knows how many may begin. */
    @Test
    void theTypeIsPausedWhileTheScheduleCannotBeRead() {
        Instance only = world.start("60/min", Duration.ZERO, world.unreadable(() -> {
            if (isDown) {
                throw new StoreUnavailableException("down", null, null);
            }
        }));
        world.publish(300);
        world.scheduler.advance(seconds(10));

        isDown = true;
        world.scheduler.advance(seconds(5));
        assertThat(only.state()).isEqualTo(State.OPEN);
        world.scheduler.advance(seconds(55));
        assertThat(world.begunBetween(seconds(12), seconds(70))).isZero();
        assertThat(world.copies).isLessThan(50);

        isDown = false;
        world.scheduler.advance(MINUTE.multipliedBy(2));
        assertThat(world.begunBetween(seconds(110), seconds(170))).isBetween(57L, 60L);
        assertThat(world.attempts).containsOnly(0);
    }

    @Test
    void theTypeIsPausedForAsLongAsTheStoreAsks() {
        Instance only = world.start("60/min", Duration.ZERO, world.unreadable(() -> {
            if (isDown) {
                throw new StoreUnavailableException("too many requests", Duration.ofSeconds(40), null);
            }
        }));
        isDown = true;
        world.publish(30);
        world.scheduler.advance(seconds(1));
        isDown = false;

        world.scheduler.advance(seconds(34));
        assertThat(world.begun).isEmpty();
        assertThat(only.state()).isEqualTo(State.OPEN);
        world.scheduler.advance(seconds(60));
        assertThat(world.begun).hasSizeGreaterThan(40 / 2);
    }

    @Test
    void theTypeIsPausedIfAnotherVersionHasWrittenTheSchedule() {
        Instance only = world.start("60/min", Duration.ZERO, world.unreadable(() -> {
            throw new UnreadableRecordException(
                    RecordKey.companion("bunny.rate.MailRequested", "bunny.rate"), "schedule of format 2", null);
        }));
        world.publish(300);

        world.scheduler.advance(MINUTE);

        assertThat(only.state()).isEqualTo(State.OPEN);
        assertThat(world.begun).isEmpty();
        assertThat(world.copies).isLessThan(50);
    }

    @Test
    void aRateAndAnOrderExcludeEachOther() {
        Instance other = world.start("60/min");
        HandlerDefinition both =
                world.handler("60/min", other.process().timeline()).ordered(Ordering.HOLD);

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> other.engine().plan(List.of(both), List.of()))
                .withMessageContaining("[handler=mailer.on(MailRequested), type=MailRequested, rate=60/min]")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1105"))
                .satisfies(e -> assertThat(e.action()).contains("safebunny.listener.rates.MailRequested"));
    }

    /** The turns of those that wait are left to other instances. */
    @Test
    void aPauseWaitsForNoSlot() {
        Instance first = world.start("2/min");
        world.publish(3);
        world.scheduler.advance(seconds(5));
        assertThat(world.begun).hasSize(1);

        first.process().begin(() -> first.breakers().open(HOUR));
        world.scheduler.advance(seconds(1));
        assertThat(world.broker.unsettled()).isEmpty();
        assertThat(world.broker.depth(RateWorld.QUEUE)).isEqualTo(2);

        world.start("2/min");
        world.scheduler.advance(MINUTE.multipliedBy(2));
        assertThat(world.begun).hasSize(3);
        assertThat(world.attempts).containsOnly(0);
    }

    @Test
    void aStopWaitsForNoSlot() {
        Instance only = world.start("2/min");
        world.publish(2);
        world.scheduler.advance(seconds(5));

        only.process().begin(() -> only.engine().stop(seconds(30)));
        world.scheduler.advance(seconds(1));

        assertThat(world.begun).hasSize(1);
        assertThat(world.broker.unsettled()).isEmpty();
        assertThat(world.broker.depth(RateWorld.QUEUE)).isEqualTo(1);
    }
}
