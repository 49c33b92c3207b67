// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchTest {

    private static final int PLAIN = 10;
    private static final int FAILS_ONCE = 11;
    private static final int DELAYED = 2;
    private static final long MEGABYTE = 1 << 20;

    private final VirtualTimeline timeline = new VirtualTimeline();
    private Watch.Needs needs = new Watch.Needs(50 * MEGABYTE, 30, 6);
    private final Watch watch = new Watch(Duration.ofMinutes(1), timeline, () -> needs);

    @BeforeEach
    void begin() {
        watch.begin();
    }

    @Test
    void anIntervalHasWhatWasHandledInIt() {
        handle(PLAIN, Duration.ofMillis(20));
        handle(PLAIN + 20, Duration.ofMillis(40));
        pass(Duration.ofMillis(4_940));
        handle(PLAIN + 40, Duration.ofMillis(70));
        pass(Duration.ofMillis(4_930));

        assertThat(watch.intervals())
                .containsExactly(new Interval(5, 2, 20, 40, 40, 50, 30, 6), new Interval(10, 1, 70, 70, 70, 50, 30, 6));
    }

    @Test
    void aStallIsAnEmptyInterval() {
        pass(Duration.ofSeconds(5));

        assertThat(watch.intervals()).containsExactly(new Interval(5, 0, 0, 0, 0, 50, 30, 6));
    }

    @Test
    void whatWaitsOnPurposeIsNotTimed() {
        handle(FAILS_ONCE, Duration.ofSeconds(1));
        handle(DELAYED, Duration.ofSeconds(1));
        watch.handled(Receipt.id(PLAIN));
        pass(Duration.ofSeconds(3));

        assertThat(watch.intervals()).singleElement().returns(0, Interval::handled);
    }

    @Test
    void anOrderIsTimedOnce() {
        handle(PLAIN, Duration.ofMillis(20));
        watch.handled(Order.id(PLAIN));
        pass(Duration.ofSeconds(5));

        assertThat(watch.intervals()).singleElement().returns(1, Interval::handled);
    }

    @Test
    void aLookThatComesLateEndsOneInterval() {
        pass(Duration.ofSeconds(12));
        pass(Duration.ofSeconds(2));
        pass(Duration.ofSeconds(1));

        assertThat(watch.intervals()).extracting(Interval::until).containsExactly(12L, 15L);
    }

    @Test
    void theLeastOfTheHeapIsTold() {
        needs = new Watch.Needs(20 * MEGABYTE, 30, 6);
        pass(Duration.ofSeconds(1));
        needs = new Watch.Needs(90 * MEGABYTE, 31, 5);
        pass(Duration.ofSeconds(4));

        assertThat(watch.intervals()).containsExactly(new Interval(5, 0, 0, 0, 0, 20, 31, 5));
    }

    @Test
    void aLongRunHasSixtyIntervals() {
        Watch hour = new Watch(Duration.ofHours(1), timeline, () -> needs);
        hour.begin();
        timeline.advance(Duration.ofSeconds(59));
        hour.look();
        assertThat(hour.intervals()).isEmpty();

        timeline.advance(Duration.ofSeconds(1));
        hour.look();
        assertThat(hour.intervals()).singleElement().returns(60L, Interval::until);
    }

    private void handle(int number, Duration took) {
        watch.publishing(new Order(number));
        timeline.advance(took);
        watch.handled(Order.id(number));
    }

    private void pass(Duration time) {
        timeline.advance(time);
        watch.look();
    }
}
