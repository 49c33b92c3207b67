// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.breaker.TypeBreaker;
import io.safebunny.dedup.Deduplication;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.pipeline.ConsumeMiddleware;
import io.safebunny.pipeline.MessageScope;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.CurrentHandling;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.serialization.Serializers;
import io.safebunny.time.Timeline;
import io.safebunny.transport.DeliveryHandler;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes the consume pipeline of each handler.
 *
 * @param current of the engine this belongs to
 * @param deduplication {@code null} when handled messages are not remembered
 */
public record ConsumePipelineFactory(
        CurrentHandling current,
        ConsumeOptions options,
        Serializers serializers,
        ConfirmedSender sender,
        @Nullable Deduplication deduplication,
        List<ConsumeMiddleware> middlewares,
        MessageScope scope,
        Timeline timeline,
        RandomGenerator random,
        Metrics metrics,
        Observations observations) {

    /** @param typesOfNode all types this node handles */
    public DeliveryHandler create(HandlerDefinition handler, Set<String> typesOfNode, TypeBreaker breaker) {
        return new ConsumePipeline(
                this,
                handler,
                breaker,
                new MessageValidator(
                        handler, typesOfNode, serializers, timeline, options.maxMessageSize(), options.retention()),
                recoverer(handler.type(), handler.recovery()));
    }

    /** What the broker set aside, of all types of the node. */
    public DeliveryHandler createForDeadLetters() {
        return new DeadLetters(recoverer("", RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none())));
    }

    private Recoverer recoverer(String type, RecoveryPolicy policy) {
        return new Recoverer(options.node(), type, policy, sender, timeline, random, metrics);
    }
}
