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
import java.util.Map;
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

        MessageMeters order = metrics.consumed("Order", new VirtualTimeline());
        order.completed(0);
        order.completed(1);
        metrics.retriedInMemory("Order");
        metrics.retriedDelayed("Order");
        metrics.poisoned("Pay", PoisonReason.HANDLER_FAILED);

        assertThat(metrics.tallies().byType())
                .isEqualTo(Map.of("Order", new Tally(2, 2, 0), "Pay", new Tally(0, 0, 1)));
        assertThat(new Tally(2, 2, 0).plus(new Tally(0, 0, 1))).isEqualTo(new Tally(2, 2, 1));
    }
}
