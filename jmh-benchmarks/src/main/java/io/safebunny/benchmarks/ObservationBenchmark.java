// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.DeliveryHandler;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** What meters, observations and traces add to {@link PipelineBenchmark#consumeMessage}, without middlewares. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ObservationBenchmark {

    /** Who observes. */
    public enum Observed {
        /** A registry of meters that records nothing, and no observations. */
        NOTHING,
        /** Meters in memory, and no observations. */
        METERS,
        /** And observations, whose handler is another meter. */
        OBSERVATIONS,
        /** And a span of each message, handed to an exporter that keeps the newest. */
        TRACES,
        /** The same, but the sender has decided not to sample the message. */
        UNSAMPLED_TRACES
    }

    @Param
    Observed observed = Observed.NOTHING;

    private final AtomicLong ids = new AtomicLong();
    private Map<String, Object> headers = Map.of();
    private @Nullable SystemTimeline timeline;
    private @Nullable DeliveryHandler handler;

    @Setup
    public void setUp() {
        SystemTimeline system = new SystemTimeline("benchmark");
        timeline = system;
        MeterRegistry meters = observed == Observed.NOTHING ? new CompositeMeterRegistry() : new SimpleMeterRegistry();
        handler = PipelineBenchmark.handler(system, meters, registry(meters), 0, false);
        headers = new HashMap<>(PipelineBenchmark.HEADERS);
        String sampled = observed == Observed.UNSAMPLED_TRACES ? "00" : "01";
        headers.put("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + sampled);
    }

    private ObservationRegistry registry(MeterRegistry meters) {
        if (observed == Observed.NOTHING || observed == Observed.METERS) {
            return ObservationRegistry.NOOP;
        }
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        if (observed != Observed.OBSERVATIONS) {
            registry.observationConfig().observationHandler(NewestSpans.handler());
        }
        return registry;
    }

    @TearDown
    public void tearDown() {
        if (timeline != null) {
            timeline.close();
        }
    }

    @Benchmark
    public void consumeMessage(Blackhole blackhole) {
        if (handler == null) {
            throw new IllegalStateException("set up first");
        }
        PipelineBenchmark.deliver(handler, "id-" + ids.incrementAndGet(), headers, blackhole);
    }
}
