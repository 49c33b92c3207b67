// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.saga;

import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** The saga with SafeBunny: each node publishes in its handler. */
final class SafeBunnyTrack implements Track {

    private static final int PREFETCH = 10;

    private final List<BenchNode> nodes = new ArrayList<>();
    private final Bunny front;
    private final String text = Hop.text();
    private volatile LongConsumer finish = begun -> {};

    /** @param nodeOf creates a node with the given name */
    SafeBunnyTrack(Function<String, BenchNode> nodeOf) {
        add(nodeOf.apply("third"), Hop.Third.class, "second", publish(Hop.Done::new));
        add(nodeOf.apply("second"), Hop.Second.class, "first", publish(Hop.Third::new));
        add(nodeOf.apply("first"), Hop.First.class, "front", publish(Hop.Second::new));
        front = add(nodeOf.apply("front"), Hop.Done.class, "third", (hop, bunny) -> finish.accept(hop.begun()));
    }

    private static BiConsumer<Hop, Bunny> publish(BiFunction<Long, String, Hop> next) {
        return (hop, bunny) -> {
            Published unused = bunny.publish(next.apply(hop.begun(), Hop.text()));
        };
    }

    private Bunny add(BenchNode node, Class<? extends Hop> type, String from, BiConsumer<Hop, Bunny> handler) {
        nodes.add(node);
        Bunny bunny = node.bunny();
        node.start(List.of(new HandlerDefinition(
                "bench.on(%s)".formatted(type.getSimpleName()),
                type.getSimpleName(),
                type,
                List.of(from),
                PREFETCH,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> handler.accept((Hop) payload, bunny))));
        return bunny;
    }

    @Override
    public void begin(long begun) {
        CompletableFuture<Published> unused = front.publishAsync(new Hop.First(begun, text));
    }

    @Override
    public void onFinish(LongConsumer newFinish) {
        finish = newFinish;
    }

    @Override
    public void close() {
        nodes.forEach(BenchNode::close);
    }
}
