// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.safebunny.failure.Printable;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Micrometer observations: {@code safebunny.handler} around the handling of a message and {@code safebunny.publish} around a
 * publication, each a timer and, with a tracer, a span whose context travels in {@code traceparent}. Thread-safe.
 */
public final class Observations {

    private static final Logger LOG = LoggerFactory.getLogger(Observations.class);

    private final ObservationRegistry registry;

    public Observations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** A started observation, or {@code null} when nobody observes. */
    public @Nullable Observation startHandling(Envelope message, String queue) {
        if (registry.isNoop()) {
            return null;
        }
        ReceiverContext<Envelope> context =
                new ReceiverContext<>((carrier, key) -> carrier.trace().get(key));
        context.setCarrier(message);
        return started(() -> Observation.createNotStarted("safebunny.handler", () -> context, registry)
                .contextualName(queue + " process")
                .lowCardinalityKeyValue("type", message.type())
                .lowCardinalityKeyValue("messaging.system", "rabbitmq")
                .lowCardinalityKeyValue("messaging.destination.name", queue)
                .highCardinalityKeyValue("messaging.message.id", message.id())
                .highCardinalityKeyValue("messaging.message.conversation_id", message.correlationId())
                .start());
    }

    /** A started observation that writes its trace context into the map, or {@code null} when nobody observes. */
    public @Nullable Observation startPublishing(String type, Map<String, String> trace) {
        if (registry.isNoop()) {
            return null;
        }
        SenderContext<Map<String, String>> context = new SenderContext<>((carrier, key, value) -> {
            if (carrier != null) {
                carrier.put(key, value);
            }
        });
        context.setCarrier(trace);
        return started(() -> Observation.createNotStarted("safebunny.publish", () -> context, registry)
                .contextualName(type + " send")
                .lowCardinalityKeyValue("type", type)
                .lowCardinalityKeyValue("messaging.system", "rabbitmq")
                .start());
    }

    /** {@code null} if an observation handler fails, which must not affect the message. */
    public static Observation.@Nullable Scope open(Observation observation) {
        ObservationRegistry registry = observation.getObservationRegistry();
        Observation.Scope before = registry.getCurrentObservationScope();
        try {
            return observation.openScope();
        } catch (Throwable e) { // also errors, as thrown by incompatible libraries
            LOG.warn("An observation handler failed", Printable.of(e));
            // otherwise it would stay open, and the thread's next message would run in it
            registry.setCurrentObservationScope(before);
            return null;
        }
    }

    /** Ends the observation. Exceptions of its handlers are logged and do not keep the rest from being ended. */
    public static void stop(Observation observation, Observation.@Nullable Scope scope, @Nullable Throwable failure) {
        if (failure != null) {
            quietly(() -> observation.error(failure));
        }
        if (scope != null) {
            close(scope, observation.getObservationRegistry());
        }
        quietly(observation::stop);
    }

    private static void close(Observation.Scope scope, ObservationRegistry registry) {
        try {
            scope.close();
        } catch (Throwable e) {
            LOG.warn("An observation handler failed", Printable.of(e));
            registry.setCurrentObservationScope(scope.getPreviousObservationScope());
        }
    }

    private static void quietly(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            LOG.warn("An observation handler failed", Printable.of(e));
        }
    }

    private static @Nullable Observation started(Supplier<Observation> start) {
        try {
            return start.get();
        } catch (Throwable e) {
            LOG.warn("An observation handler failed", Printable.of(e));
            return null;
        }
    }

    /** The trace context to publish with: that of the message being handled, until an observation replaces it. */
    public static Map<String, String> traceOf(@Nullable Envelope parent) {
        return parent == null || parent.trace().isEmpty() ? new HashMap<>(2) : new HashMap<>(parent.trace());
    }

    /** Keeps the W3C headers only: other formats a tracer may have written are not part of the wire contract. */
    public static Map<String, String> w3c(Map<String, String> trace) {
        if (trace.isEmpty()) {
            return Map.of();
        }
        String parent = trace.get(Headers.TRACEPARENT);
        String state = trace.get(Headers.TRACESTATE);
        if (parent == null) {
            return Map.of();
        }
        return state == null
                ? Map.of(Headers.TRACEPARENT, parent)
                : Map.of(Headers.TRACEPARENT, parent, Headers.TRACESTATE, state);
    }
}
