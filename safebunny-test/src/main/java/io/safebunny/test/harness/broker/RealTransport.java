// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connects a node in virtual time to a real broker. A message is confirmed when {@link #send} returns: the caller waits for the broker in
 * real time, and nothing else happens meanwhile. Thread-safe.
 */
final class RealTransport extends ForwardingTransport {

    private static final Duration AGAIN = Duration.ofMillis(20);
    private static final Duration WHEN_DUE = Duration.ofSeconds(30);

    private final Transport instances;
    private final Surroundings around;

    /**
     * The environment of the transport.
     *
     * @param options names of the exchanges to send to
     * @param realTime the timeline of the broker
     * @param discards whether to drop all deliveries
     */
    record Surroundings(
            TopologyOptions options,
            SimulatedProcess process,
            Arrivals arrivals,
            HeldMessages held,
            Timeline realTime,
            BooleanSupplier discards) {}

    /** @param instances the transport over which the instances of a node reach each other */
    RealTransport(Transport transport, Transport instances, Surroundings around) {
        super(transport);
        this.instances = instances;
        this.around = around;
    }

    @Override
    public void start(Topology topology) {
        around.arrivals.apply(topology);
        super.start(topology);
    }

    /** {@inheritDoc} Like the transport in memory, refuses an unroutable message at once, even a delayed one. */
    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        if (message.delay().isZero() || message.delay().isNegative()) {
            return sendNow(message, deadline.left());
        }
        if (around.arrivals.queuesOf(message.route(), around.options).isEmpty()) {
            return CompletableFuture.failedFuture(
                    new UnroutableException(message.publication(), "no node of the test has a queue for it"));
        }
        around.held.hold(message, this::sendDue);
        return CompletableFuture.completedFuture(null);
    }

    private void sendDue(OutboundMessage message) {
        sendNow(message, WHEN_DUE).join();
    }

    /** @return a future that is done */
    private CompletableFuture<Void> sendNow(OutboundMessage message, Duration within) {
        Deadline deadline = Deadline.after(within, around.realTime);
        List<String> queues = around.arrivals.queuesOf(message.route(), around.options);
        String id = String.valueOf(message.message().messageId());
        around.arrivals.expect(queues, id);
        CompletableFuture<Void> sent = transport.send(message, deadline);
        Throwable failure = failureOf(sent);
        // retried here, not by the application, whose virtual timeout would be over before the connection is back
        while (failure instanceof ConnectionLostException && waitsAgain(deadline)) {
            sent = transport.send(message, deadline);
            failure = failureOf(sent);
        }
        if (failure != null) {
            around.arrivals.expectNoLonger(queues, id);
        }
        return sent;
    }

    /** Waits until the future is done, and returns its failure. */
    private static @Nullable Throwable failureOf(CompletableFuture<Void> sent) {
        return sent.<@Nullable Throwable>handle((done, failure) -> failure).join();
    }

    private boolean waitsAgain(Deadline deadline) {
        try {
            around.realTime.sleep(AGAIN);
            return !deadline.isOver();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        around.arrivals.consumes(queue, prefetch);
        Consumption consumption = transport.consume(queue, prefetch, delivery -> bring(delivery, handler));
        return new Consumption() {
            @Override
            public void pace(Pace pace) {
                around.arrivals.consumes(
                        queue,
                        switch (pace) {
                            case PAUSED -> 0;
                            case ONE_BY_ONE -> 1;
                            case FULL -> prefetch;
                        });
                consumption.pace(pace);
            }

            @Override
            public CompletableFuture<Void> stop() {
                CompletableFuture<Void> stopped = consumption.stop();
                around.arrivals.stops(queue, stopped);
                return inProcess(stopped);
            }
        };
    }

    /** A future that a task of the process completes; completed directly if the process has ended. */
    private CompletableFuture<Void> inProcess(CompletableFuture<Void> real) {
        CompletableFuture<Void> seen = new CompletableFuture<>();
        CompletableFuture<Void> unused = real.whenComplete((done, failure) -> {
            try {
                around.process.begin(() -> seen.complete(null));
            } catch (RejectedExecutionException e) {
                seen.complete(null);
            }
        });
        return seen;
    }

    /** Passes a delivery to the process. Runs on the transport's thread and blocks it, because the transport counts running handlers. */
    private void bring(Delivery delivery, DeliveryHandler handler) {
        CompletableFuture<Void> handled = new CompletableFuture<>();
        try {
            around.process.begin(() -> handle(delivery, handler, handled));
            handled.get();
        } catch (RejectedExecutionException | ExecutionException e) {
            return; // the process has ended, so its connection ends too
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Handles a delivery in virtual time. If the broker takes the message back meanwhile, it is redelivered. */
    private void handle(Delivery delivery, DeliveryHandler handler, CompletableFuture<Void> handled) {
        try {
            CountedDelivery counted = around.arrivals.take(delivery);
            if (around.discards.getAsBoolean()) {
                counted.acknowledge();
            } else {
                handler.handle(counted);
            }
            counted.end();
        } finally {
            handled.complete(null);
        }
    }

    @Override
    public ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
        return instances.control(listeners);
    }

    @Override
    public void close() {
        super.close();
        instances.close();
    }
}
