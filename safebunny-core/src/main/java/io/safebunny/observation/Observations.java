// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.SenderContext;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Micrometer observations: {@code safebunny.handler} around the handling of a message and {@code safebunny.publish} around a
 * publication, each a timer and, with a tracer, a span whose context travels in {@code traceparent}. Thread-safe.
 */
public final class Observations {

    /** Outcomes of {@code safebunny.handler}. */
    public static final String HANDLED = "handled";

    public static final String EXPIRED = "expired";
    public static final String SHREDDED = "shredded";
    public static final String DUPLICATE = "duplicate";
    public static final String RETRIED = "retried";
    public static final String POISONED = "poisoned";
    public static final String RETURNED = "returned";

    private static final String CONFIRMED = "confirmed";

    /** Maximum number of distinct type tags; further types, which no real application has, are tagged {@code other}. */
    static final int MOST_TYPES = 1_000;

    static final String OTHER = "other";

    private static final String HANDLER = "safebunny.handler";
    private static final String PUBLISH = "safebunny.publish";

    private final ObservationRegistry registry;
    private final String exchange;
    /** Prefix of the exchanges that route delayed messages and copies back to queues. */
    private final String laterExchanges;

    private final Set<String> published = ConcurrentHashMap.newKeySet();
    private final SafeObserving safely;

    /**
     * @param exchange the exchange of publications
     * @param log logs failing observation handlers, bounded because each message may cause one; {@code null} if nothing is
     *     observed
     */
    public Observations(ObservationRegistry registry, String exchange, @Nullable BoundedLog log) {
        this.safely = new SafeObserving(log);
        this.registry = registry;
        this.exchange = exchange;
        this.laterExchanges = exchange + '.';
    }

    /** Observes nothing. */
    public static Observations none() {
        return new Observations(ObservationRegistry.NOOP, "", null);
    }

    /** Registers the meters of these types at 0, if anything is observed. */
    public void register(Metrics metrics, Set<String> handledTypes) {
        if (registry.isNoop()) {
            return;
        }
        for (String type : handledTypes) {
            metrics.observing(HANDLER, type, HANDLED, EXPIRED, SHREDDED, DUPLICATE, RETRIED, POISONED, RETURNED);
        }
        metrics.observing(PUBLISH, "none", CONFIRMED);
    }

    /**
     * Starts an observation; {@code null} if nothing is observed.
     *
     * @param exchange exchange through which the queue got the message, with the routing key
     * @param again whether the message's headers say that it is a retry or a replay, or was stored before it was sent
     */
    public @Nullable Observation startHandling(
            Envelope message, String exchange, String routingKey, String queue, boolean again) {
        if (registry.isNoop()) {
            return null;
        }
        HandlingContext context = new HandlingContext(message, again || exchange.startsWith(laterExchanges));
        return safely.start(() -> Observation.createNotStarted(HANDLER, () -> context, registry)
                .contextualName("process " + queue)
                .lowCardinalityKeyValue("type", message.type())
                .highCardinalityKeyValues(operation("process", exchange + ':' + routingKey + ':' + queue, queue))
                .highCardinalityKeyValue("messaging.rabbitmq.destination.routing_key", routingKey)
                .highCardinalityKeyValue("messaging.message.id", message.id())
                .highCardinalityKeyValue("messaging.message.conversation_id", message.correlationId())
                .start());
    }

    /**
     * Starts an observation that writes its trace context into the map; {@code null} if nothing is observed.
     *
     * @param routingKey routing key of the message, which is sent within the observation
     */
    public @Nullable Observation startPublishing(String type, String routingKey, Map<String, String> trace) {
        return startSender(PUBLISH, "send", type, routingKey, trace);
    }

    /** Like {@link #startPublishing}, for a message that is created now and sent later. */
    public @Nullable Observation startCreating(String type, String routingKey, Map<String, String> trace) {
        return startSender("safebunny.create", "create", type, routingKey, trace);
    }

    /** Observes the creation of a message, like {@link #startCreating}; returns the trace context to send with it. */
    public Map<String, String> created(
            String type, String routingKey, String id, String correlationId, Map<String, String> trace) {
        Observation observation = startCreating(type, routingKey, trace);
        if (observation != null) {
            identified(observation, id, correlationId);
            stopSending(observation, null, FailureDetails.FULL);
        }
        return w3c(trace);
    }

    private @Nullable Observation startSender(
            String name, String operation, String type, String routingKey, Map<String, String> trace) {
        if (registry.isNoop()) {
            return null;
        }
        SenderContext<Map<String, String>> context = new SenderContext<>((carrier, key, value) -> {
            if (carrier != null) {
                carrier.put(key, value);
            }
        });
        context.setCarrier(trace);
        return safely.start(() -> Observation.createNotStarted(name, () -> context, registry)
                .contextualName(operation + ' ' + exchange + ':' + routingKey)
                .lowCardinalityKeyValue("type", bounded(type))
                .highCardinalityKeyValues(operation(operation, exchange + ':' + routingKey, null))
                .highCardinalityKeyValue("messaging.rabbitmq.destination.routing_key", routingKey)
                .start());
    }

    /**
     * Observes the sending of a message that was created earlier, in the span that its headers name. Sending belongs to the same trace as
     * the creation, even in another process, unless the message was scheduled or kept by a saga.
     */
    public @Nullable Observation startSending(String type, String routingKey, String id, Map<String, Object> headers) {
        if (registry.isNoop()) {
            return null;
        }
        SendingContext context = new SendingContext(headers);
        return safely.start(() -> Observation.createNotStarted(PUBLISH, () -> context, registry)
                .contextualName("send " + exchange + ':' + routingKey)
                .lowCardinalityKeyValue("type", bounded(type))
                .highCardinalityKeyValues(operation("send", exchange + ':' + routingKey, null))
                .highCardinalityKeyValue("messaging.rabbitmq.destination.routing_key", routingKey)
                .highCardinalityKeyValue("messaging.message.id", id)
                .start());
    }

    private static KeyValues operation(String operation, String destination, @Nullable String template) {
        KeyValues common = KeyValues.of(
                "messaging.system", "rabbitmq",
                "messaging.operation.name", operation,
                "messaging.operation.type", operation,
                "messaging.destination.name", destination);
        return template == null ? common : common.and("messaging.destination.template", template);
    }

    private String bounded(String type) {
        if (published.contains(type)) {
            return type;
        }
        return published.size() < MOST_TYPES && published.add(type) ? type : OTHER;
    }

    /** Adds the publication's ids once they are known. */
    public void identified(@Nullable Observation observation, @Nullable String id, @Nullable String correlationId) {
        if (observation != null && id != null && correlationId != null) {
            safely.run(() -> observation
                    .highCardinalityKeyValue("messaging.message.id", id)
                    .highCardinalityKeyValue("messaging.message.conversation_id", correlationId));
        }
    }

    /** Renames the observation of a message that was not sent, but stored to be sent later. */
    public void wasCreated(Observation observation, String routingKey) {
        safely.run(() -> {
            observation.getContext().setName("safebunny.create");
            observation
                    .contextualName("create " + exchange + ':' + routingKey)
                    .highCardinalityKeyValue("messaging.operation.name", "create")
                    .highCardinalityKeyValue("messaging.operation.type", "create");
        });
    }

    /** Opens a scope; {@code null} if an observation handler fails, which must not affect the message. */
    public Observation.@Nullable Scope open(Observation observation) {
        return safely.open(observation);
    }

    /**
     * Ends the observation of a message that was to be sent.
     *
     * @param details how much is told of the failure
     */
    public void stopSending(Observation observation, @Nullable Throwable failure, FailureDetails details) {
        stop(observation, null, outcomeOf(failure), failure, details);
    }

    private static String outcomeOf(@Nullable Throwable failure) {
        if (failure == null) {
            return CONFIRMED;
        }
        if (failure instanceof UnroutableException || failure instanceof NackedException) {
            return "refused";
        }
        return failure instanceof PublishException ? "unconfirmed" : "failed";
    }

    /**
     * Ends the observation. Exceptions of its handlers are logged and otherwise ignored.
     *
     * @param details how much of the failure they are told
     */
    public void stop(
            Observation observation,
            Observation.@Nullable Scope scope,
            String outcome,
            @Nullable Throwable failure,
            FailureDetails details) {
        safely.run(() -> observation.lowCardinalityKeyValue("outcome", outcome));
        if (failure != null) {
            safely.run(() -> observation
                    .highCardinalityKeyValue("error.type", failure.getClass().getName())
                    .error(details.observed(failure)));
        }
        close(observation, scope);
        safely.run(observation::stop);
    }

    /** Closes a scope of an observation that goes on. */
    public void close(Observation observation, Observation.@Nullable Scope scope) {
        if (scope != null) {
            safely.close(scope, observation.getObservationRegistry());
        }
    }

    /** The trace context to publish with: that of the message being handled, unless an observation replaces it. */
    public static Map<String, String> traceOf(@Nullable Envelope parent) {
        return parent == null || parent.trace().isEmpty() ? new HashMap<>(2) : new HashMap<>(parent.trace());
    }

    /** Keeps only the W3C headers, because the wire contract includes no other formats that a tracer may write. */
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
