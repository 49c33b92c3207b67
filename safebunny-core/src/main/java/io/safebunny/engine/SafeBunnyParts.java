// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.codec.Codecs;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.pipeline.MessageScope;
import io.safebunny.serialization.JsonMessageSerializer;
import io.safebunny.serialization.Serializers;
import io.safebunny.spi.identity.IdScheme;
import io.safebunny.spi.outbox.Outbox;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.transport.Transport;
import io.safebunny.time.Timeline;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a node is made of. The starter fills it from beans; {@link #of} gives defaults for everything but the essentials.
 *
 * @param store {@code null}: handled messages are not remembered, a duplicate is handled again
 * @param outbox {@code null}: publications outside handlers are sent at once, whatever becomes of the caller's transaction
 * @param codecs of bodies, which are sent and taken as serialized without one
 * @param breakers of this node alone
 * @param callbacks completes the futures of {@code publishAsync}, and sends again after a lost connection
 */
public record SafeBunnyParts(
        SafeBunnyOptions options,
        Transport transport,
        @Nullable MessageStore store,
        @Nullable Outbox outbox,
        Serializers serializers,
        Codecs codecs,
        IdScheme idScheme,
        List<ConsumeMiddleware> consumeMiddlewares,
        List<PublishMiddleware> publishMiddlewares,
        MessageScope scope,
        CircuitBreakers breakers,
        Timeline timeline,
        RandomGenerator random,
        Executor callbacks,
        MeterRegistry meterRegistry,
        ObservationRegistry observationRegistry) {

    public SafeBunnyParts {
        consumeMiddlewares = List.copyOf(consumeMiddlewares);
        publishMiddlewares = List.copyOf(publishMiddlewares);
    }

    /** Without codecs. */
    public SafeBunnyParts(
            SafeBunnyOptions options,
            Transport transport,
            @Nullable MessageStore store,
            @Nullable Outbox outbox,
            Serializers serializers,
            IdScheme idScheme,
            List<ConsumeMiddleware> consumeMiddlewares,
            List<PublishMiddleware> publishMiddlewares,
            MessageScope scope,
            CircuitBreakers breakers,
            Timeline timeline,
            RandomGenerator random,
            Executor callbacks,
            MeterRegistry meterRegistry,
            ObservationRegistry observationRegistry) {
        this(
                options,
                transport,
                store,
                outbox,
                serializers,
                Codecs.none(),
                idScheme,
                consumeMiddlewares,
                publishMiddlewares,
                scope,
                breakers,
                timeline,
                random,
                callbacks,
                meterRegistry,
                observationRegistry);
    }

    public static SafeBunnyParts of(
            SafeBunnyOptions options, Transport transport, @Nullable MessageStore store, Timeline timeline) {
        return new SafeBunnyParts(
                options,
                transport,
                store,
                null,
                new Serializers(List.of(new JsonMessageSerializer(JsonMapper.shared(), options.maxMessageSize()))),
                new LineageIdScheme(),
                List.of(),
                List.of(),
                new MessageScope(),
                new CircuitBreakers(BreakerSettings.defaults(), timeline, ForkJoinPool.commonPool()),
                timeline,
                timeline.random(),
                ForkJoinPool.commonPool(),
                new SimpleMeterRegistry(),
                ObservationRegistry.NOOP);
    }

    public SafeBunnyParts withBreakers(CircuitBreakers others) {
        return new SafeBunnyParts(
                options,
                transport,
                store,
                outbox,
                serializers,
                codecs,
                idScheme,
                consumeMiddlewares,
                publishMiddlewares,
                scope,
                others,
                timeline,
                random,
                callbacks,
                meterRegistry,
                observationRegistry);
    }

    public SafeBunnyParts withOutbox(@Nullable Outbox other) {
        return new SafeBunnyParts(
                options,
                transport,
                store,
                other,
                serializers,
                codecs,
                idScheme,
                consumeMiddlewares,
                publishMiddlewares,
                scope,
                breakers,
                timeline,
                random,
                callbacks,
                meterRegistry,
                observationRegistry);
    }

    public SafeBunnyParts withCodecs(Codecs others) {
        return new SafeBunnyParts(
                options,
                transport,
                store,
                outbox,
                serializers,
                others,
                idScheme,
                consumeMiddlewares,
                publishMiddlewares,
                scope,
                breakers,
                timeline,
                random,
                callbacks,
                meterRegistry,
                observationRegistry);
    }
}
