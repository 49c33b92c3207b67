// SPDX-License-Identifier: Apache-2.0
package io.safebunny.memory;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.memory.MemoryBroker.Address;
import io.safebunny.message.WireMessage;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One node's connection to a {@link MemoryBroker}. Thread-safe. */
public final class MemoryTransport implements Transport {

    private final MemoryBroker broker;
    private final TopologyOptions options;
    private final Executor executor;
    private final List<MemoryConsumption> consumptions = new CopyOnWriteArrayList<>();
    private final List<MemoryBrowsing> browsings = new CopyOnWriteArrayList<>();
    private final List<Runnable> joined = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** @param options names of the exchanges to send to */
    public MemoryTransport(MemoryBroker broker, TopologyOptions options) {
        this(broker, options, broker.executor());
    }

    /**
     * @param options names of the exchanges to send to
     * @param executor runs this node's deliveries, instead of the broker's
     */
    public MemoryTransport(MemoryBroker broker, TopologyOptions options, Executor executor) {
        this.broker = broker;
        this.options = options;
        this.executor = executor;
    }

    @Override
    public void start(Topology topology) {
        broker.apply(topology);
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return consume(queue, prefetch, Pace.FULL, handler);
    }

    @Override
    public Consumption consumePaused(String queue, int prefetch, DeliveryHandler handler) {
        return consume(queue, prefetch, Pace.PAUSED, handler);
    }

    private Consumption consume(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        requireConsumable(queue, prefetch);
        return opened(broker.consume(queue, prefetch, pace, handler, executor));
    }

    @Override
    public Consumption consumeOrdered(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        requireConsumable(queue, prefetch);
        return opened(broker.consumeOrdered(queue, prefetch, pace, handler, executor));
    }

    private void requireConsumable(String queue, int prefetch) {
        if (prefetch < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid prefetch [queue=%s, prefetch=%s]: it must be at least 1.".formatted(queue, prefetch));
        }
        if (closed) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING,
                    "Queue cannot be consumed [queue=%s]: this transport is closed. Use a new one.".formatted(queue));
        }
    }

    private Consumption opened(MemoryConsumption consumption) {
        consumptions.removeIf(MemoryConsumption::isEnded);
        consumptions.add(consumption);
        if (closed) { // closed meanwhile, perhaps before this consumption was in the list
            broker.cutOff(List.of(consumption));
        }
        return consumption;
    }

    /** {@inheritDoc} The future is complete when this returns. Refuses an unroutable message at once, even a delayed one. */
    @Override
    public CompletableFuture<Void> send(OutboundMessage outbound, Deadline deadline) {
        if (closed) {
            return CompletableFuture.failedFuture(
                    new ConnectionLostException(outbound.publication(), "this transport is closed", null));
        }
        Address address = address(outbound.route());
        Purpose purpose = outbound.route() instanceof Route.ToSubscribers ? Purpose.APPLICATION : Purpose.PROGRESS;
        if (!broker.send(address, isolated(outbound.message()), outbound.delay(), purpose)) {
            return CompletableFuture.failedFuture(new UnroutableException(
                    outbound.publication(),
                    "exchange '%s' of the in-memory broker has no binding with it".formatted(address.exchange())));
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public BrowsedQueue browse(String queue) {
        if (closed) {
            throw new BrowsingException(queue, "this transport is closed. Use a new one.", null);
        }
        MemoryBrowsing browsing = broker.browse(queue);
        browsings.removeIf(MemoryBrowsing::isClosed);
        browsings.add(browsing);
        if (closed) { // closed meanwhile, perhaps before this browsing was in the list
            browsing.cutOff();
        }
        return browsing;
    }

    private Address address(Route route) {
        if (route instanceof Route.ToSubscribers publication) {
            return new Address(options.mainExchange(), publication.routingKey());
        }
        if (route instanceof Route.ToQueue direct) {
            return new Address(options.retryExchange(), direct.queue());
        }
        return new Address(options.poisonExchange(), route.routingKey());
    }

    /**
     * Copies the headers, because sender and receivers must not share the map. The body is not copied, because nobody may change
     * it.
     */
    private static WireMessage isolated(WireMessage message) {
        return message.withHeaders(Collections.unmodifiableMap(new LinkedHashMap<>(message.headers())));
    }

    /** {@inheritDoc} Messages reach the listeners of all transports of this broker, on the sending thread. */
    @Override
    public ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
        listeners.forEach((address, heard) -> {
            Consumer<byte[]> whileOpen = message -> {
                if (!closed) {
                    heard.accept(message);
                }
            };
            broker.join(address, whileOpen);
            joined.add(() -> broker.leave(address, whileOpen));
        });
        return new ControlChannel() {
            @Override
            public @Nullable String problem(ControlAddress address) {
                return closed ? "this transport is closed" : null;
            }

            @Override
            public CompletableFuture<Void> tell(ControlAddress to, byte[] message) {
                if (!closed) {
                    broker.tell(to, message);
                }
                return CompletableFuture.completedFuture(null);
            }
        };
    }

    @Override
    public TransportStatus status() {
        return new TransportStatus(!closed, closed ? "closed" : "in-memory broker");
    }

    @Override
    public OptionalLong depth(String queue) {
        if (closed) {
            throw new BrowsingException(queue, "this transport is closed. Use a new one.", null);
        }
        return OptionalLong.of(broker.depth(queue));
    }

    /** {@inheritDoc} Also counts those that stand by. */
    @Override
    public OptionalInt consumers(String queue) {
        if (closed) {
            throw new BrowsingException(queue, "this transport is closed. Use a new one.", null);
        }
        return OptionalInt.of(broker.consumers(queue));
    }

    @Override
    public void close() {
        closed = true;
        joined.forEach(Runnable::run);
        broker.cutOff(List.copyOf(consumptions));
        browsings.forEach(MemoryBrowsing::cutOff);
    }
}
