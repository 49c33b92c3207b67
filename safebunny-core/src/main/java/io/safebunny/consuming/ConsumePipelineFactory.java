// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.Bunny;
import io.safebunny.breaker.TypeBreaker;
import io.safebunny.dedup.Deduplication;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.handling.MessageScope;
import io.safebunny.message.Names;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.node.Codecs;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.saga.running.Correlation;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.waiting.Turns;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the consume pipeline of each handler.
 *
 * @param current of the engine this belongs to
 * @param publishers what publishes as part of a handling from any thread
 * @param held where deliveries show whose copies are not taken
 * @param libraryMessages what this node tells others without being asked by the application
 * @param deduplication {@code null} when handled messages are not remembered
 * @param correlations which saga the messages of a handler belong to, {@code null} for none
 * @param turns of the node's sagas
 * @param middlewares of both groups, the outermost first
 * @param propagators the outermost first
 */
public record ConsumePipelineFactory(
        CurrentHandling current,
        Function<Handling, Bunny> publishers,
        ConsumeOptions options,
        Serializers serializers,
        Codecs codecs,
        ConfirmedSender sender,
        LibraryMessages libraryMessages,
        @Nullable Deduplication deduplication,
        Function<HandlerDefinition, @Nullable Correlation> correlations,
        Turns<String> turns,
        List<ConsumeMiddleware> middlewares,
        List<ContextPropagator> propagators,
        MessageScope scope,
        Timeline timeline,
        RandomGenerator random,
        Metrics metrics,
        Observations observations,
        Events events,
        HeldDeliveries held,
        BoundedLog log) {

    /** @param typesOfNode all types this node handles */
    public DeliveryHandler create(HandlerDefinition handler, Set<String> typesOfNode, TypeBreaker breaker) {
        String queue = Names.address(options.node(), handler.type());
        FailureLog failures = new FailureLog(log, options.node(), handler.description());
        Mover mover = new Mover(this, queue);
        PoisonQueue poisonQueue = new PoisonQueue(this, queue, handler.type(), mover, failures);
        Recoverer recoverer = new Recoverer(this, handler.type(), handler.recovery(), mover, poisonQueue, failures);
        Survivors survivors = new Survivors();
        ConsumePipeline pipeline = new ConsumePipeline(
                this,
                handler,
                breaker,
                new MessageValidator(handler, typesOfNode, serializers, codecs, ageLimit(), options.maxMessageSize()),
                poisonQueue,
                recoverer,
                new HandlerRunner(handler, recoverer, timeline, failures, metrics),
                survivors);
        return new DeliverySettler(pipeline, poisonQueue, survivors, events, log, queue);
    }

    /**
     * What the broker set aside, of all types of the node.
     *
     * @param typesOfNode all types this node handles
     */
    public DeliveryHandler createForDeadLetters(Set<String> typesOfNode) {
        Set<String> queues = typesOfNode.stream()
                .map(type -> Names.address(options.node(), type))
                .collect(Collectors.toUnmodifiableSet());
        String deadLetters = Topology.deadLettersOf(options.node());
        FailureLog failures = new FailureLog(log, options.node(), "none");
        return new DeadLetters(
                new PoisonQueue(this, deadLetters, "", new Mover(this, deadLetters), failures), queues, events, log);
    }

    /**
     * Reads as the queue of this handler does.
     *
     * @param typesOfNode all types this node handles
     */
    public MessageInspector inspector(HandlerDefinition handler, Set<String> typesOfNode) {
        return new MessageInspector(
                handler,
                new MessageValidator(
                        handler,
                        typesOfNode,
                        serializers,
                        codecs,
                        new AgeLimit(timeline, null),
                        options.maxMessageSize()),
                ageLimit(),
                correlations.apply(handler),
                options.trustedUsers());
    }

    AgeLimit ageLimit() {
        return new AgeLimit(timeline, options.retention());
    }
}
