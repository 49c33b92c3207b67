// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.fixture.LogLines;
import org.junit.jupiter.api.Test;

class BodySizesTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Metrics metrics = new Metrics(registry);

    private DistributionSummary published(String type) {
        return registry.get("safebunny.body.size")
                .tags("type", type, "direction", "published")
                .summary();
    }

    @Test
    void areInBytes() {
        metrics.published("Order", new byte[10]);
        metrics.published("Order", new byte[30]);

        DistributionSummary order = published("Order");
        assertThat(order.getId().getBaseUnit()).isEqualTo("bytes");
        assertThat(order.count()).isEqualTo(2);
        assertThat(order.totalAmount()).isEqualTo(40);
        assertThat(order.max()).isEqualTo(30);
    }

    @Test
    void haveNoMoreTypesThanAnApplication() {
        for (int i = 0; i < 1_500; i++) {
            metrics.published("Type" + i, new byte[1]);
        }

        assertThat(registry.getMeters()).hasSize(1_001);
        assertThat(published("Type999").count()).isEqualTo(1);
        assertThat(published("other").count()).isEqualTo(500);
    }

    @Test
    void affectNobodyWhenTheyCannotBeMeasured() {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public MeterFilterReply accept(Meter.Id id) {
                throw new StackOverflowError("filter");
            }
        });
        try (LogLines log = new LogLines(BodySizes.class.getName())) {
            for (int i = 0; i < 3; i++) {
                metrics.published("Order", new byte[1]);
            }

            assertThat(log.texts()).hasSize(1);
        }
    }
}
