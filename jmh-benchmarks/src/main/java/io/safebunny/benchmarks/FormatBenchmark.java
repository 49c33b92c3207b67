// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.safebunny.cbor.CborMessageSerializer;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.json.JsonMessageSerializer;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/** An order of ten lines, about 1 KB of JSON, written and read in each format; tells the size once. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FormatBenchmark {

    public record Line(String sku, int count, BigDecimal price, String name) {}

    public record Order(UUID id, String customer, Instant at, BigDecimal total, List<Line> lines) {}

    @Param({"json", "cbor"})
    public String format = "json";

    private Order order = new Order(new UUID(0, 0), "", Instant.EPOCH, BigDecimal.ZERO, List.of());
    private MessageSerializer serializer = new JsonMessageSerializer();
    private byte[] body = new byte[0];

    @Setup
    public void write() {
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            lines.add(new Line("SKU-" + (100_000 + i), i + 1, new BigDecimal("19.9" + i), "Article of some kind " + i));
        }
        order = new Order(
                new UUID(7_000_000_000L, 9_000_000_000L),
                "customer-4711",
                Instant.parse("2026-01-02T03:04:05.678Z"),
                new BigDecimal("1234.50"),
                lines);
        serializer = format.equals("cbor") ? new CborMessageSerializer() : new JsonMessageSerializer();
        body = serializer.serialize(order);
        System.out.printf("%s: %s bytes%n", format, body.length);
    }

    @Benchmark
    public byte[] serialize() {
        return serializer.serialize(order);
    }

    @Benchmark
    public Object deserialize() {
        return serializer.deserialize(body, Order.class);
    }
}
