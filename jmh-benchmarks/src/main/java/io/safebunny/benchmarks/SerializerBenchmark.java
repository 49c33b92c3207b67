// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.serialization.json.JsonMessageSerializer;
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
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** 965 bytes of JSON, written and read by SafeBunny's serializer and by Jackson alone. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class SerializerBenchmark {

    private final JsonMessageSerializer serializer = new JsonMessageSerializer();
    private final JsonMapper jackson = JsonMapper.shared();
    private final ObjectReader reader = jackson.readerFor(Ping.class);
    private final Ping ping = Ping.ofSize("order-42", BenchBroker.MESSAGE_BYTES);
    private final byte[] body = ping.json();

    @Benchmark
    public byte[] write() {
        return serializer.serialize(ping);
    }

    @Benchmark
    public byte[] writeJackson() {
        return jackson.writeValueAsBytes(ping);
    }

    @Benchmark
    public Object read() {
        return serializer.deserialize(body, Ping.class);
    }

    @Benchmark
    public Ping readJackson() {
        return reader.readValue(body);
    }
}
