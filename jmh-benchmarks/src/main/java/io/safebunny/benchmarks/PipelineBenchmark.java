// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.consuming.ConsumePipelineFactory;
import io.safebunny.dedup.Deduplication;
import io.safebunny.dedup.NotRemembered;
import io.safebunny.dedup.claim.Claims;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.MessageScope;
import io.safebunny.handling.Pipeline;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Middleware;
import io.safebunny.node.Node;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.queue.HeldDeliveries;
import io.safebunny.rate.leasing.RateLimits;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

/**
 * Time and allocation per message within SafeBunny, without serialization and broker.
 *
 * <p>{@code scopedPipeline} is the measurement of the thesis (figure 5.2): two core steps, the user's middlewares, one scope per
 * message. {@code consumeMessage} is the whole consume pipeline: validation, headers, metrics, recovery, middlewares, in-memory
 * retry, handler, settlement.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class PipelineBenchmark {

    static final Map<String, Object> HEADERS =
            Map.of("sb-marker", 1, "sb-attempt", 0, "sb-sent-at", 1_700_000_000_000L);

    @Param({"0", "2", "8"})
    int middlewares;

    private final AtomicLong ids = new AtomicLong();
    private MessageScope scope = new MessageScope();
    private Pipeline<Blackhole> pipeline = new Pipeline<>(List.of());
    private @Nullable SystemTimeline timeline;
    private @Nullable DeliveryHandler plain;
    private @Nullable DeliveryHandler deduplicating;

    @Setup
    public void setUp() {
        Middleware<Object> step = (context, next) -> next.run();
        List<Middleware<? super Blackhole>> all = new ArrayList<>(Collections.nCopies(2 + middlewares, step));
        all.add((blackhole, next) -> blackhole.consume(next));
        pipeline = new Pipeline<>(all);
        SystemTimeline system = new SystemTimeline("benchmark");
        timeline = system;
        plain = handler(system, new SimpleMeterRegistry(), ObservationRegistry.NOOP, middlewares, false);
        deduplicating = handler(system, new SimpleMeterRegistry(), ObservationRegistry.NOOP, middlewares, true);
    }

    @TearDown
    public void tearDown() {
        if (timeline != null) {
            timeline.close();
        }
    }

    static DeliveryHandler handler(
            SystemTimeline system,
            MeterRegistry meters,
            ObservationRegistry observations,
            int middlewares,
            boolean deduplicate) {
        ConsumeMiddleware step = (context, next) -> next.run();
        Node node = new Node(SafeBunnyParts.builder(
                        // with frequent sweeps, and no limit to the age of its only message
                        SafeBunnyOptions.of("bench")
                                .withLease(Duration.ofMillis(50))
                                .withRetention(Duration.ofDays(36_500)),
                        new NoTransport(),
                        system)
                .store(deduplicate ? new MemoryMessageStore(system, Duration.ofMillis(100)) : null)
                .serializers(new Serializers(List.of(new Constant())))
                .consumeMiddlewares(Collections.nCopies(middlewares, step))
                .meterRegistry(meters)
                .observationRegistry(observations)
                .build());
        ConsumePipelineFactory factory = new ConsumePipelineFactory(
                node,
                claims(node),
                handler -> null,
                new HeldDeliveries(),
                (lane, due) -> {},
                new RateLimits(node, false));
        RecoveryPolicy recovery = RecoveryPolicy.of(
                RetryStrategy.of(2, Duration.ofMillis(100)), RetryStrategy.after(Duration.ofSeconds(1)));
        return factory.create(
                new HandlerDefinition(
                        "bench.on(Ping)",
                        "Ping",
                        Object.class,
                        List.of("bench"),
                        10,
                        recovery,
                        (payload, context) -> {}),
                Set.of("Ping"),
                node.breakers().add("Ping", Object.class, node.metrics(), ExceptionDetails.FULL));
    }

    private static Claims claims(Node node) {
        Claims claims = node.store() == null ? new NotRemembered(node.sender()) : new Deduplication(node);
        claims.start();
        return claims;
    }

    @Benchmark
    public void scopedPipeline(Blackhole blackhole) throws Exception {
        scope.run(() -> pipeline.run(blackhole));
    }

    @Benchmark
    public void consumeMessage(Blackhole blackhole) {
        handle(plain, blackhole);
    }

    @Benchmark
    public void consumeMessageDeduplicated(Blackhole blackhole) {
        handle(deduplicating, blackhole);
    }

    private void handle(@Nullable DeliveryHandler handler, Blackhole blackhole) {
        if (handler == null) {
            throw new IllegalStateException("set up first");
        }
        deliver(handler, "id-" + ids.incrementAndGet(), HEADERS, blackhole);
    }

    static void deliver(DeliveryHandler handler, String id, Map<String, Object> headers, Blackhole blackhole) {
        handler.handle(new OneDelivery(
                new IncomingMessage(
                        new Origin("bench-Ping", "safebunny", "bench-Ping"), false, 0, message(id, headers)),
                blackhole));
    }

    private static WireMessage message(String id, Map<String, Object> headers) {
        return new WireMessage(
                id,
                "db19dadf-39d7-4529-836d-cb89e97bfb48",
                "Ping",
                "bench",
                1_700_000_000L,
                "application/json",
                null,
                headers,
                Constant.BODY);
    }

    private record OneDelivery(IncomingMessage message, Blackhole blackhole) implements Delivery {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void acknowledge() {
            blackhole.consume(message);
        }

        @Override
        public void handBack() {
            throw new IllegalStateException("A message that succeeds is not handed back");
        }

        @Override
        public void reject() {
            throw new IllegalStateException("A message that succeeds is not rejected");
        }
    }

    /** Leaves out the cost of JSON. */
    private static final class Constant implements MessageSerializer {
        static final byte[] BODY = {'{', '}'};

        @Override
        public String contentType() {
            return "application/json";
        }

        @Override
        public boolean reads(String contentType) {
            return true;
        }

        @Override
        public byte[] serialize(Object payload) {
            return BODY;
        }

        @Override
        public Object deserialize(byte[] body, Type target) {
            return body;
        }
    }
}
