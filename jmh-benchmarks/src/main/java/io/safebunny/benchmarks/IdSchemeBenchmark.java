// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.safebunny.identity.Ancestry;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.identity.MarkerMaskIdScheme;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Cost of one message id. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class IdSchemeBenchmark {

    private final LineageIdScheme lineage = new LineageIdScheme();
    private final MarkerMaskIdScheme markerMask = new MarkerMaskIdScheme();
    private final Ancestry ancestry = new Ancestry(
            "db19dadf-39d7-4529-836d-cb89e97bfb48",
            "e45168e9-f6be-8373-b4e7-8db02a91fc30",
            "billing",
            "PaymentCaptured",
            "1",
            27);

    @Benchmark
    public String sbLineage() {
        return lineage.idOf(ancestry);
    }

    @Benchmark
    public String markerMask() {
        return markerMask.idOf(ancestry);
    }

    @Benchmark
    public String randomUuid() {
        return UUID.randomUUID().toString();
    }
}
