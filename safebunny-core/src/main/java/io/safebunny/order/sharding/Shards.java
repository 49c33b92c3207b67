// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.concurrency.RecurringTask;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.message.Names;
import io.safebunny.message.OrderKey;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.order.sharding.SharedDivision.Stored;
import io.safebunny.poison.queue.HeldDeliveries;
import io.safebunny.poison.queue.Mover;
import io.safebunny.store.MessageStore;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Transport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The types of a node whose messages are divided among queues by their order keys, so that several instances handle them at the same time.
 * Thread-safe.
 */
public final class Shards implements NodeFeature {

    private static final Logger LOG = LoggerFactory.getLogger(Shards.class);

    private final Node node;
    private final HeldDeliveries held;
    private final Map<String, Divided> byType = new ConcurrentSkipListMap<>();
    /** Shards and tokens of the marks that are confirmed. */
    private final Set<String> marked = ConcurrentHashMap.newKeySet();

    private final ShardWatch watch;
    private final RecurringTask looking;

    /** @param held collects deliveries whose copies the broker refuses */
    public Shards(Node node, HeldDeliveries held) {
        this.node = node;
        this.held = held;
        this.watch = new ShardWatch(node, byType);
        this.looking = new RecurringTask(
                "looking at shards", node.options().lease(), watch::look, node.workers(), node.timeline());
    }

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    /**
     * The queues that the handlers need, those included in which messages of a version with more shards may wait. To be called before
     * anything is declared.
     *
     * @param handlers all of the node
     */
    public List<Subscription> subscriptions(List<HandlerDefinition> handlers) {
        return handlers.stream().map(this::subscription).toList();
    }

    private Subscription subscription(HandlerDefinition handler) {
        Sharding sharding = handler.sharding();
        MessageStore store = node.parts().store(); // itself, as nothing is measured before the start
        if (sharding == null || store == null) {
            return handler.subscription();
        }
        SharedDivision shared = new SharedDivision(handler.type(), store, node.timeline());
        Divided divided = new Divided(
                node.name(),
                handler.type(),
                handler.queue(node.name()),
                sharding,
                Math.max(sharding.count(), mostBefore(handler, shared)),
                shared);
        byType.put(handler.type(), divided);
        return handler.subscription().divided(divided.most());
    }

    private int mostBefore(HandlerDefinition handler, SharedDivision shared) {
        try {
            Division before = shared.read().division();
            return before == null ? 0 : before.most();
        } catch (RuntimeException e) {
            LOG.warn(
                    "It is not known whether an earlier version of {} had more shards: what waits in those is handled after a start at which the store answers",
                    handler.description(),
                    node.log().tellable(e));
            return 0;
        }
    }

    /** Whether the messages of the handler are divided. */
    public boolean divides(HandlerDefinition handler) {
        return byType.containsKey(handler.type());
    }

    /**
     * What forwards the messages of a type that is divided.
     *
     * @param opens has this instance handle the messages of one more shard
     */
    public DeliveryHandler forwarder(
            HandlerDefinition handler, DeliveryHandler pipeline, BiConsumer<String, DeliveryHandler> opens) {
        Divided divided = divided(handler);
        Set<Integer> opened = ConcurrentHashMap.newKeySet();
        IntConsumer opensOnce = shard -> {
            if (!opened.contains(shard)) {
                opens.accept(divided.shard(shard), shard(divided, shard, pipeline));
                opened.add(shard);
            }
        };
        Gate gate = new Gate(
                divided.sharding().count(),
                divided.shared(),
                (shards, token) -> mark(divided, shards, token, opensOnce),
                node.timeline());
        return new Forwarder(
                divided.type(),
                divided.sharding(),
                divided::shard,
                gate,
                new Mover(node, held, divided.queue()),
                pipeline,
                handler.ordering() == Ordering.HOLD,
                node.log());
    }

    private void mark(Divided divided, Set<Integer> shards, String token, IntConsumer opened) {
        // a version with more shards has come and gone since this one has started
        shards.stream().filter(shard -> shard >= divided.most()).forEach(opened::accept);
        for (int shard : shards) {
            String mark = divided.shard(shard) + ' ' + token;
            if (!marked.contains(mark)) { // a second one would take a place of the prefetch
                CompletableFuture<Void> unused = node.sender()
                        .send(ShardMark.to(divided.shard(shard), node.name(), token))
                        .thenRun(() -> marked.add(mark));
            }
        }
    }

    /** What handles the messages of the shards of a type that this instance listens to, by queue. */
    public Map<String, DeliveryHandler> shards(HandlerDefinition handler, DeliveryHandler pipeline) {
        Divided divided = divided(handler);
        Map<String, DeliveryHandler> shards = new LinkedHashMap<>();
        for (int number = 0; number < divided.most(); number++) {
            if (divided.listensTo(number)) {
                shards.put(divided.shard(number), shard(divided, number, pipeline));
            }
        }
        return shards;
    }

    private Shard shard(Divided divided, int number, DeliveryHandler pipeline) {
        return new Shard(number, divided.queue(), divided.shared(), pipeline, node.log());
    }

    private Divided divided(HandlerDefinition handler) {
        return Objects.requireNonNull(byType.get(handler.type()), handler.type());
    }

    /**
     * {@inheritDoc}
     *
     * @throws ConfigurationException SB-1205 if instances without shards are running, or if something is left in shards that this one does
     *     not have: what is handled from the queue of the type would pass what was forwarded
     */
    @Override
    public void startConsuming(List<HandlerDefinition> handlers) {
        handlers.stream()
                .filter(handler -> handler.ordering().isOrdered() && !divides(handler))
                .forEach(this::end);
        if (!byType.isEmpty()) {
            byType.values().forEach(this::begin);
            looking.start();
        }
    }

    /** Writes by how many shards a type is divided if it never was. */
    private void begin(Divided divided) {
        try {
            if (divided.shared().read().isDivided()) {
                return;
            }
            boolean isConsumed = node.transport().consumers(divided.queue()).orElse(0) > 0;
            Stored stored = divided.shared()
                    .read(); // if another instance of this version consumes it, it has written this before
            if (!stored.isDivided() && isConsumed) {
                throw new ConfigurationException(
                        "SB-1205",
                        "Type %s cannot be divided into shards now: queue '%s' is consumed by instances without shards. What they handle would pass what waits in shards. Nothing is handled."
                                .formatted(divided.type(), divided.queue()),
                        "Stop all instances of the version without shards, then start this one; see docs/order.md.");
            }
            if (!stored.isDivided()) {
                boolean unused = divided.shared()
                        .write(stored, new Division(divided.sharding().count()));
            }
        } catch (ConfigurationException e) {
            throw e;
        } catch (RuntimeException e) { // the store or the broker does not answer
            LOG.warn(
                    "It is not known whether instances without shards consume queue '{}'. If any do, stop them: what they handle passes what is forwarded",
                    divided.queue(),
                    node.log().tellable(e));
        }
    }

    /** Writes that a type is not divided any more, once nothing is left in its shards. */
    private void end(HandlerDefinition handler) {
        MessageStore store = node.parts().store();
        if (store == null) {
            return;
        }
        SharedDivision shared = new SharedDivision(handler.type(), store, node.timeline());
        Stored stored;
        try {
            stored = shared.read();
        } catch (RuntimeException e) {
            LOG.warn(
                    "It is not known whether messages of {} wait in shards that an earlier version had: what is handled now would pass them",
                    handler.description(),
                    node.log().tellable(e));
            return;
        }
        if (stored.isDivided()) {
            String left =
                    left(handler, Objects.requireNonNull(stored.division()).most());
            if (left != null) {
                throw new ConfigurationException(
                        "SB-1205",
                        "Type %s cannot be handled without shards: %s. What is handled now would pass what waits there. Nothing is handled."
                                .formatted(handler.type(), left),
                        "Set shards = \"1\", with which all shards are handled first. To do without, stop what publishes the type, let the version with shards handle what is left, and stop all its instances; see docs/order.md.");
            }
            boolean unused = shared.write(stored, Division.NONE);
        }
    }

    /** Why there may be something in the shards; {@code null} if nothing is. */
    private @Nullable String left(HandlerDefinition handler, int most) {
        Transport transport = node.transport();
        String address = Names.address(node.name(), handler.type());
        try {
            if (transport.consumers(handler.queue(node.name())).orElse(0) > 0) {
                return "instances with shards are running";
            }
            for (int number = 0; number < most; number++) {
                String shard = Topology.shardOf(address, number);
                if (exists(shard) && transport.depth(shard).orElse(1) > 0) {
                    return "messages wait in queue '%s'".formatted(shard);
                }
            }
            return null;
        } catch (BrowsingException e) {
            return "whether messages wait in its shards is not known: " + e.getMessage();
        }
    }

    private boolean exists(String shard) {
        try {
            return node.transport().consumers(shard).isPresent();
        } catch (BrowsingException e) {
            if (e.code().equals(BrowsingException.DENIED)) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void stopConsuming() {
        looking.stop();
    }

    /** What needs a person, in sentences. Asking is cheap. */
    public List<String> problems() {
        return watch.problems();
    }

    /**
     * Why messages of an order key may wait that nobody has begun: parts of sentences, empty if there is no reason. Asks the store and
     * the broker.
     *
     * @param key of messages; none is told of one that cannot be a key
     */
    public List<String> troubles(String key) {
        return OrderKey.isValid(key) ? watch.troubles(new OrderKey(key)) : List.of();
    }

    /** How the types are divided just now. Asks the store and the broker. */
    public List<ShardStatus> statuses() {
        return byType.values().stream()
                .map(divided -> watch.status(divided, true))
                .toList();
    }
}
