// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.leaks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs classes that leave something behind, and classes that do not. */
class LeakCheckTest {

    private static final AtomicInteger CHANNELS = new AtomicInteger();
    private static CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void endThreads() {
        end.countDown();
        end = new CountDownLatch(1);
        CHANNELS.set(0);
    }

    private static void start(String name, boolean daemon, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(daemon);
        thread.start();
    }

    private static Runnable untilTheEnd() {
        CountDownLatch latch = end;
        return () -> {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    private static LeakCheck impatient() {
        return new LeakCheck().within(Duration.ofMillis(100));
    }

    static class LeavesThreads {

        @RegisterExtension
        static final LeakCheck LEAKS = impatient();

        @Test
        void leavesTwo() {
            start("forgotten-1", true, untilTheEnd());
            start("forgotten-2", false, untilTheEnd());
        }
    }

    @Test
    void namesThreadsThatAreLeftWithTheirStacks() {
        assertThat(Failures.of(LeavesThreads.class))
                .singleElement()
                .asString()
                .contains("LeavesThreads leaves something behind")
                .contains("thread 'forgotten-1' (WAITING, daemon)")
                .contains("thread 'forgotten-2' (WAITING)")
                .contains("LeakCheckTest.lambda$untilTheEnd$")
                .contains("ignoringThreads")
                .doesNotContain("thread 'main'");
    }

    static class IgnoresThreads {

        @RegisterExtension
        static final LeakCheck LEAKS = impatient().ignoringThreads("forgotten-\\d");

        @Test
        void leavesThree() {
            start("forgotten-1", true, untilTheEnd());
            start("forgotten-10", true, untilTheEnd());
            start("ForkJoinPool.commonPool-worker-77", true, untilTheEnd());
        }
    }

    @Test
    void ignoresThreadsWithTheWholeNameAndThoseOfTheJvm() {
        assertThat(Failures.of(IgnoresThreads.class))
                .singleElement()
                .asString()
                .contains("'forgotten-10'")
                .doesNotContain("'forgotten-1'", "commonPool");
    }

    @ExtendWith(LeakCheck.class)
    static class EndsLater {

        private static final CountDownLatch LATER = new CountDownLatch(1);

        @Test
        void leavesOneThatIsEnding() {
            start("ending", true, () -> {
                try {
                    LATER.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        @AfterAll
        static void endIt() {
            LATER.countDown();
        }
    }

    @Test
    void waitsForThreadsThatAreEnding() {
        assertThat(Failures.of(EndsLater.class)).isEmpty();
    }

    @ExtendWith(LeakCheck.class)
    static class FindsThreads {
        @Test
        void leavesNone() {}
    }

    @Test
    void whatWasThereBeforeMayStay() {
        start("of-another-class", true, untilTheEnd());

        assertThat(Failures.of(FindsThreads.class)).isEmpty();
    }

    static class LeavesChannels {

        @RegisterExtension
        static final LeakCheck LEAKS = impatient().counting("channels", CHANNELS::get);

        @Test
        void opensTwo() {
            CHANNELS.addAndGet(2);
        }
    }

    @Test
    void countsWhateverElseThereIs() {
        CHANNELS.set(5);

        assertThat(Failures.of(LeavesChannels.class)).singleElement().asString().contains("channels: 7, and 5 before");
    }

    static class ClosesChannels {

        @RegisterExtension
        static final LeakCheck LEAKS =
                new LeakCheck().counting("channels", () -> CHANNELS.getAndUpdate(n -> Math.max(1, n - 1)));

        @Test
        void opensTwo() {
            CHANNELS.addAndGet(2);
        }
    }

    @Test
    void asksAgainUntilTheyAreAsFewAsBefore() {
        CHANNELS.set(1);

        assertThat(Failures.of(ClosesChannels.class)).isEmpty();
    }
}
