// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.dedup.Deduplication;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.pipeline.ConsumeMiddleware;
import io.safebunny.pipeline.MessageScope;
import io.safebunny.publishing.ConfirmedSender;
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
 * @param deduplication {@code null} when handled messages are not remembered
 */
public record ConsumePipelineFactory(
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
    public DeliveryHandler create(HandlerDefinition handler, Set<String> typesOfNode) {
        return new ConsumePipeline(
                this,
                handler,
                new MessageValidator(
                        handler, typesOfNode, serializers, timeline, options.maxMessageSize(), options.retention()),
                new Recoverer(options.node(), handler.type(), handler.recovery(), sender, timeline, random, metrics));
    }
}
