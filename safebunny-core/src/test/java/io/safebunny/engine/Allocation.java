// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import com.sun.management.ThreadMXBean;
import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures the bytes allocated per message of 965 bytes of JSON, by the thread that does the work. What the broker's client would allocate
 * is not part of it: a transport that confirms at once takes what is published, and what arrives is made before.
 *
 * <p>Run it in a process of its own: what else a process has run decides what the compiler does here.
 */
final class Allocation {

    /** What is measured. */
    enum Of {
        /** The JSON that is written included. */
        PUBLISHING,
        /** Beyond what Jackson needs to read the payload, and the payload itself. */
        HANDLING,
        /** The same with a store: the record, and the fingerprint in it. */
        HANDLING_ONCE
    }

    private static final int MESSAGE_BYTES = 965;
    private static final String LINE = "forty bytes of text for one line of it";
    private static final int LINES = 20;
    private static final int BATCH = 2_000;
    private static final int BATCHES = 100;
    private static final int MOST_BATCHES = 1_000;
    private static final ThreadMXBean THREAD = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    record Ping(String id, long number, List<String> lines, String rest) {}

    private final JsonMessageSerializer json = new JsonMessageSerializer();
    private final Ping ping = ping();
    private final byte[] body = json.serialize(ping);
    private final SystemTimeline timeline = new SystemTimeline("allocation");
    private final NoBroker transport = new NoBroker();
    private long arrived;
    private long handled;

    private Allocation() {}

    /**
     * Prints the bytes.
     *
     * @param arguments an {@link Of}, and how many bytes are few enough to measure no longer
     */
    public static void main(String[] arguments) {
        Allocation allocation = new Allocation();
        System.out.println(allocation.measure(Of.valueOf(arguments[0]), Integer.parseInt(arguments[1])));
        System.exit(0); // the engine has not been stopped
    }

    private long measure(Of what, int enough) {
        return switch (what) {
            case PUBLISHING -> toPublish(enough);
            case HANDLING -> toHandle(null, enough);
            case HANDLING_ONCE -> toHandle(new MemoryMessageStore(timeline, Duration.ofDays(7)), enough);
        };
    }

    private long toPublish(int budget) {
        SafeBunnyEngine engine = engine(null);
        engine.start(List.of());
        Bunny bunny = engine.bunny();
        return lowest(MOST_BATCHES, budget, () -> ping, payload -> {
            Published unused = bunny.publish(payload);
        });
    }

    private long toHandle(@Nullable MessageStore store, int budget) {
        long toRead = lowest(BATCHES, 0, () -> body, bytes -> {
            Object unused = json.deserialize(bytes, Ping.class);
        });
        engine(store)
                .start(List.of(new HandlerDefinition(
                        "budget.on(Ping)",
                        "Ping",
                        Ping.class,
                        List.of("budget"),
                        10,
                        RecoveryPolicy.of(
                                RetryStrategy.of(2, Duration.ofMillis(100)),
                                RetryStrategy.after(Duration.ofSeconds(1))),
                        (payload, context) -> handled++)));
        DeliveryHandler pipeline = Objects.requireNonNull(transport.pipeline);
        long toHandle = lowest(MOST_BATCHES, toRead + budget, this::arrival, pipeline::handle);
        if (handled != arrived) {
            throw new IllegalStateException(
                    "%s messages have arrived, and %s were handled".formatted(arrived, handled));
        }
        return toHandle - toRead;
    }

    private SafeBunnyEngine engine(@Nullable MessageStore store) {
        return new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of("budget"), transport, timeline)
                .store(store)
                .build());
    }

    /** Of the batches until one is good enough: the compilers need some before they are done, and on a busy machine many. */
    private static <T> long lowest(int most, long goodEnough, Supplier<T> message, Consumer<T> work) {
        long lowest = Long.MAX_VALUE;
        for (int batch = 0; batch < most && lowest > goodEnough; batch++) {
            List<T> messages = Stream.generate(message).limit(BATCH).toList();
            long before = THREAD.getCurrentThreadAllocatedBytes();
            messages.forEach(work);
            lowest = Math.min(lowest, (THREAD.getCurrentThreadAllocatedBytes() - before) / BATCH);
        }
        return lowest;
    }

    private Ping ping() {
        List<String> lines = Collections.nCopies(LINES, LINE);
        int without = json.serialize(new Ping("order-42", 7, lines, "")).length;
        return new Ping("order-42", 7, lines, "x".repeat(MESSAGE_BYTES - without));
    }

    private Delivery arrival() {
        arrived++;
        Map<String, Object> headers = new HashMap<>();
        headers.put("sb-marker", 1);
        headers.put("sb-attempt", 0);
        headers.put("sb-sent-at", timeline.now().toEpochMilli());
        WireMessage message = new WireMessage(
                "e45168e9-f6be-8373-b4e7-%012d".formatted(arrived),
                "db19dadf-39d7-4529-836d-cb89e97bfb48",
                "Ping",
                "budget",
                timeline.now().getEpochSecond(),
                "application/json",
                null,
                headers,
                body);
        return new Arrival(
                new IncomingMessage(new Origin("budget-Ping", "safebunny", "budget-Ping"), false, 0, message));
    }

    private record Arrival(IncomingMessage message) implements Delivery {

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void acknowledge() {}

        @Override
        public void handBack() {
            throw new IllegalStateException("A message that succeeds is not handed back");
        }

        @Override
        public void reject() {
            throw new IllegalStateException("A message that succeeds is not rejected");
        }
    }

    /** Confirms everything at once. */
    private static final class NoBroker implements Transport {

        @Nullable
        DeliveryHandler pipeline;

        @Override
        public void start(Topology topology) {}

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            if (queue.equals("budget-Ping")) {
                pipeline = handler;
            }
            return new Consumption() {
                @Override
                public void pace(Pace pace) {}

                @Override
                public CompletableFuture<Void> stop() {
                    return CompletableFuture.completedFuture(null);
                }
            };
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public TransportStatus status() {
            return new TransportStatus(true, "measuring");
        }

        @Override
        public void close() {}
    }
}
