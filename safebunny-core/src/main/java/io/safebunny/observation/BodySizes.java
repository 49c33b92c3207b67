// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.noop.NoopDistributionSummary;
import io.safebunny.failure.details.Printable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code safebunny.body.size} in one direction: bytes on the wire. A failing meter is logged and otherwise ignored. Thread-safe. */
final class BodySizes {

    private static final Logger LOG = LoggerFactory.getLogger(BodySizes.class);
    private static final String NAME = "safebunny.body.size";

    private final MeterRegistry registry;
    private final String direction;
    private final Map<String, DistributionSummary> byType = new ConcurrentHashMap<>();
    private volatile boolean told;

    BodySizes(MeterRegistry registry, String direction) {
        this.registry = registry;
        this.direction = direction;
    }

    /** Registers the meter, so that it exists before the first message. */
    void register(String type) {
        DistributionSummary unused = of(type);
    }

    void record(String type, byte[] body) {
        try {
            of(type).record(body.length);
        } catch (RuntimeException | Error e) {
            tell(e);
        }
    }

    /** The summary of a type. Looked up in the registry only once per type, because a lookup costs more than measuring. */
    private DistributionSummary of(String type) {
        DistributionSummary known = byType.get(type);
        return known != null
                ? known
                : byType.computeIfAbsent(
                        byType.size() < Observations.MOST_TYPES ? type : Observations.OTHER, this::registered);
    }

    private DistributionSummary registered(String type) {
        Tags tags = Tags.of("type", type, "direction", direction);
        try {
            return DistributionSummary.builder(NAME)
                    .baseUnit("bytes")
                    .tags(tags)
                    .register(registry);
        } catch (RuntimeException | Error e) {
            tell(e);
            return new NoopDistributionSummary(
                    new Meter.Id(NAME, tags, "bytes", null, Meter.Type.DISTRIBUTION_SUMMARY));
        }
    }

    /** Logs a failure, but only the first one, because it would recur for every message. */
    private void tell(Throwable failure) {
        if (!told) {
            told = true;
            LOG.warn("Measuring {} failed", NAME, Printable.inLines(failure));
        }
    }
}
