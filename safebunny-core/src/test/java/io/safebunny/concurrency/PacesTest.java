// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many messages to one saga: some wait in a line of five, the others come again as they are told. */
class PacesTest {

    private static final int MESSAGES = 1_000;
    private static final int LINE = 5;

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final Random random = new Random(1);
    private final List<Instance> instances = new ArrayList<>();
    private int done;
    private int comebacks;
    private int most;

    /** Of the node: messages go to either. */
    private final class Instance {

        private final Paces<String> paces = new Paces<>(random);
        private final Deque<Integer> line = new ArrayDeque<>();
        private final IntFunction<Duration> turns;
        private boolean busy;

        /** @param turns how long they last, by how many there were before */
        Instance(IntFunction<Duration> turns) {
            this.turns = turns;
        }

        void arrive(int times) {
            if (!busy) {
                begin();
            } else if (line.size() < LINE) {
                line.add(times);
            } else {
                comebacks++;
                most = Math.max(most, times + 1);
                Duration later = paces.comesAgainIn("hot", timeline.nanoTime()).plusMillis(random.nextInt(30));
                var unused = timeline.schedule(later, () -> anyone().arrive(times + 1));
            }
        }

        private void begin() {
            busy = true;
            Duration turn = turns.apply(done);
            var unused = timeline.schedule(turn, () -> {
                busy = false;
                done++;
                paces.took("hot", turn.toNanos());
                if (line.poll() != null) {
                    begin();
                }
            });
        }
    }

    private Instance anyone() {
        return instances.get(random.nextInt(instances.size()));
    }

    /** @return how long it takes until all are done */
    private Duration handle(int count, IntFunction<Duration> turns) {
        for (int i = 0; i < count; i++) {
            instances.add(new Instance(turns));
        }
        for (int i = 0; i < MESSAGES; i++) {
            var unused = timeline.schedule(Duration.ofMillis(2L * i), () -> anyone().arrive(0));
        }
        Duration last = Duration.ZERO;
        while (done < MESSAGES) {
            timeline.advance(Duration.ofMillis(10));
            last = timeline.elapsed();
        }
        return last;
    }

    @ParameterizedTest
    @CsvSource({"1,20", "1,70", "1,300", "2,20", "2,70", "2,140", "2,300"})
    void theyComeAgainAtThePaceAtWhichTheyCanBeTaken(int count, int millis) {
        Duration took = handle(count, before -> Duration.ofMillis(millis));

        Duration best = Duration.ofMillis((long) MESSAGES * millis / count);
        assertThat(took).isLessThan(best.plus(best.dividedBy(10)));
        assertThat(comebacks).isLessThan(MESSAGES * (2 + (int) best.toSeconds() / 50));
        assertThat(most).isLessThan(20);
    }

    @Test
    void whatWasSlowAtFirstIsFastLater() {
        Duration took = handle(2, before -> Duration.ofMillis(before < 20 ? 600 : 60));

        assertThat(took).isLessThan(Duration.ofSeconds(60)); // 35.4 s at best
        assertThat(comebacks).isLessThan(3 * MESSAGES);
    }

    @Test
    void whatWasFastAtFirstIsSlowLater() {
        Duration took = handle(2, before -> Duration.ofMillis(before < 100 ? 5 : 140));

        assertThat(took).isLessThan(Duration.ofSeconds(70)); // 63.3 s at best
        assertThat(comebacks).isLessThan(3 * MESSAGES);
    }

    @Test
    void nobodyIsToldToComeAgainAtOnceOrMuchLater() {
        Paces<String> paces = new Paces<>(random);
        for (int i = 0; i < 10_000; i++) {
            assertThat(paces.comesAgainIn("hot", 0)).isBetween(Paces.SHORTEST, Paces.LONGEST);
        }
    }

    @Test
    void forgetsWhatHasBeenIdleAndRemembersFew() {
        Paces<Integer> paces = new Paces<>(random);
        for (int i = 0; i < 10_000; i++) {
            Duration unused = paces.comesAgainIn(1, 0);
        }
        long later = Duration.ofMinutes(2).toNanos();
        assertThat(paces.comesAgainIn(1, later)).isEqualTo(Paces.SHORTEST);
        paces.took(2, 1);
        assertThat(paces.size()).isEqualTo(1);

        for (int key = 0; key < 2 * Paces.MOST_KEYS; key++) {
            Duration unused = paces.comesAgainIn(key, later);
        }
        assertThat(paces.size()).isEqualTo(Paces.MOST_KEYS);
    }
}
