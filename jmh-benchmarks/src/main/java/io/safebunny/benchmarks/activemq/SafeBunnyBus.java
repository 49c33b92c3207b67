// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.activemq;

import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Receivers are nodes. Each gets the messages of one publishing node, so choosing the publishing node chooses the receiver. */
final class SafeBunnyBus implements Bus {

    private final Ping ping = Ping.ofSize("order-42", BenchBroker.MESSAGE_BYTES);
    private final List<BenchNode> nodes = new ArrayList<>();
    private final List<Bunny> publishers = new ArrayList<>();

    /** @param store store of each receiver, {@code null} for none */
    SafeBunnyBus(
            BenchBroker broker, int prefetch, @Nullable Function<Timeline, MessageStore> store, Runnable received) {
        for (int receiver = 0; receiver < Stress.RECEIVERS; receiver++) {
            String name = "receiver-" + receiver;
            String source = "to-" + name;
            BenchNode node =
                    store == null ? BenchNode.withoutStore(broker, name) : BenchNode.withStore(broker, name, store);
            nodes.add(node);
            node.start(List.of(handler(source, prefetch, received)));
            BenchNode publisher = BenchNode.withoutStore(broker, source);
            nodes.add(publisher);
            publisher.start(List.of());
            publishers.add(publisher.bunny());
        }
    }

    private static HandlerDefinition handler(String source, int prefetch, Runnable received) {
        HandlerDefinition handler = BenchBroker.handler(prefetch, ignored -> received.run());
        return new HandlerDefinition(
                handler.description(),
                handler.type(),
                handler.payloadType(),
                List.of(source),
                handler.prefetch(),
                handler.recovery(),
                handler.invoker());
    }

    @Override
    public Sender sender() {
        return receiver -> {
            Published unused = publishers.get(receiver).publish(ping);
        };
    }

    @Override
    public void close() {
        nodes.forEach(BenchNode::close);
    }
}
