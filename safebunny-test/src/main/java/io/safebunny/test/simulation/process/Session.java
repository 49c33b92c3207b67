// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.process;

import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A connection that can be lost and restored like that of a real broker, which then redelivers unsettled messages. Confined to the run. */
public final class Session implements Transport {

    private final Supplier<Transport> connections;
    private final List<Consumer<Transport>> afterReconnect = new ArrayList<>();
    private Transport current;

    public Session(Supplier<Transport> connections) {
        this.connections = connections;
        this.current = connections.get();
    }

    /** Delivers nothing until {@link #reconnect}. */
    public void disconnect() {
        current.close();
    }

    public void reconnect() {
        current = connections.get();
        afterReconnect.forEach(join -> join.accept(current));
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return current.send(message, deadline);
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return consuming(new Consuming(Pace.FULL, (transport, pace) -> {
            Consumption begun = transport.consume(queue, prefetch, handler);
            if (pace != Pace.FULL) {
                begun.pace(pace);
            }
            return begun;
        }));
    }

    @Override
    public Consumption consumeOrdered(String queue, int prefetch, Pace begin, DeliveryHandler handler) {
        return consuming(
                new Consuming(begin, (transport, pace) -> transport.consumeOrdered(queue, prefetch, pace, handler)));
    }

    private Consumption consuming(Consuming consuming) {
        afterReconnect.add(consuming::begin);
        consuming.begin(current);
        return consuming;
    }

    @Override
    public ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
        ControlChannel[] channel = new ControlChannel[1];
        Consumer<Transport> join = transport -> channel[0] = transport.control(listeners);
        afterReconnect.add(join);
        join.accept(current);
        return new ControlChannel() {
            @Override
            public @Nullable String problem(ControlAddress address) {
                return channel[0].problem(address);
            }

            @Override
            public CompletableFuture<Void> tell(ControlAddress to, byte[] message) {
                return channel[0].tell(to, message);
            }
        };
    }

    @Override
    public void start(Topology topology) {
        current.start(topology);
    }

    @Override
    public BrowsedQueue browse(String queue) {
        return current.browse(queue);
    }

    @Override
    public TransportStatus status() {
        return current.status();
    }

    @Override
    public OptionalLong depth(String queue) {
        return current.depth(queue);
    }

    @Override
    public OptionalInt consumers(String queue) {
        return current.consumers(queue);
    }

    @Override
    public void close() {
        afterReconnect.clear();
        current.close();
    }

    private static final class Consuming implements Consumption {

        private final BiFunction<Transport, Pace, Consumption> consume;
        private Pace pace;
        private @Nullable Consumption consumption;
        private boolean stopped;

        Consuming(Pace pace, BiFunction<Transport, Pace, Consumption> consume) {
            this.pace = pace;
            this.consume = consume;
        }

        void begin(Transport transport) {
            if (!stopped) {
                consumption = consume.apply(transport, pace);
            }
        }

        @Override
        public void pace(Pace other) {
            pace = other;
            if (consumption != null) {
                consumption.pace(other);
            }
        }

        @Override
        public CompletableFuture<Void> stop() {
            stopped = true;
            return consumption == null ? CompletableFuture.completedFuture(null) : consumption.stop();
        }
    }
}
