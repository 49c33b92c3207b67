// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.Tallies.Tally;
import io.safebunny.observation.Tallies.Times;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TalliesTest {

    @Test
    void countWhateverTheRegistryKeeps() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public MeterFilterReply accept(Meter.Id id) {
                return MeterFilterReply.DENY;
            }
        });
        Metrics metrics = new Metrics(registry);

        VirtualTimeline timeline = new VirtualTimeline();
        MessageMeters order = metrics.consumed("Order", timeline);
        order.completed(0); // nobody knows when it was sent
        order.completed(timeline.now().minusMillis(300).toEpochMilli());
        metrics.retriedInMemory("Order");
        metrics.retriedDelayed("Order");
        metrics.poisoned("Pay", PoisonReason.HANDLER_FAILED);
        metrics.poisoned("Pay", PoisonReason.EXPIRED);
        metrics.expired("Order", true);
        metrics.expired("Order", false);

        Times one = took(300);
        Tally orders = new Tally(2, 2, 0, 2, 0, one);
        Tally payments = new Tally(0, 0, 2, 1, 0, Times.NONE);
        assertThat(metrics.tallies().byType()).isEqualTo(Map.of("Order", orders, "Pay", payments));
        Tally sum = orders.plus(payments);
        assertThat(sum).isEqualTo(new Tally(2, 2, 2, 3, 0, one));
        assertThat(sum.since(new Tally(1, 0, 1, 1, 0, one))).isEqualTo(new Tally(1, 2, 1, 2, 0, Times.NONE));
    }

    @Test
    void whatIsInWorkIsOfNow() {
        Metrics metrics = new Metrics(new SimpleMeterRegistry());
        MessageMeters order = metrics.consumed("Order", new VirtualTimeline());
        order.begun(3);
        Tally before = Objects.requireNonNull(metrics.tallies().byType().get("Order"));
        order.ended(2);
        Tally now = Objects.requireNonNull(metrics.tallies().byType().get("Order"));

        assertThat(before.inWork()).isEqualTo(3);
        assertThat(now.since(before).inWork()).isEqualTo(1);
        assertThat(now.plus(before).inWork()).isEqualTo(4);
    }

    private static Times took(long... millis) {
        VirtualTimeline timeline = new VirtualTimeline();
        Metrics metrics = new Metrics(new SimpleMeterRegistry());
        MessageMeters type = metrics.consumed("Order", timeline);
        for (long one : millis) {
            type.completed(timeline.now().minusMillis(one).toEpochMilli());
        }
        return Objects.requireNonNull(metrics.tallies().byType().get("Order")).criticalTimes();
    }

    @Test
    void timesAreToldInStepsThatAreNotShorter() {
        assertThat(took().within(0.95)).isEmpty();
        assertThat(took(0).within(0.5)).hasValue(1);
        assertThat(took(1).within(0.5)).hasValue(1);
        assertThat(took(3).within(0.5)).hasValue(5);
        assertThat(took(5).within(0.5)).hasValue(5);
        assertThat(took(6).within(0.5)).hasValue(10);
        assertThat(took(Duration.ofHours(2).toMillis()).within(1)).hasValue(10_000_000);
    }

    /** A message that was replayed after days is one among many. */
    @Test
    void aShareOfTheTimesIsNotThatOfTheLongest() {
        Times times = took(LongStream.concat(
                        LongStream.concat(
                                LongStream.generate(() -> 10).limit(50),
                                LongStream.generate(() -> 100).limit(45)),
                        LongStream.generate(() -> Duration.ofDays(3).toMillis()).limit(5))
                .toArray());

        assertThat(times.within(0.5)).hasValue(10);
        assertThat(times.within(0.51)).hasValue(100);
        assertThat(times.within(0.95)).hasValue(100);
        assertThat(times.within(0.96)).hasValue(500_000_000);
    }

    @Test
    void clocksThatDifferAndTimesWithoutEndCountToo() {
        assertThat(took(-5_000).within(1)).hasValue(1);
        assertThat(took(Duration.ofDays(400).toMillis()).within(1)).hasValue(1_000_000_000);
    }
}
