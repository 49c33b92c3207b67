// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.handling.MessageScope;
import io.safebunny.identity.IdScheme;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The parts of a node; the starter takes them from beans. Immutable. The parts must not be shared with another node. */
public final class SafeBunnyParts {

    private final SafeBunnyOptions options;
    private final Transport transport;
    private final Timeline timeline;
    private final @Nullable MessageStore store;
    private final @Nullable Outbox outbox;
    private final boolean scheduling;
    private final String instance;
    private final Serializers serializers;
    private final Codecs codecs;
    private final IdScheme idScheme;
    private final List<ConsumeMiddleware> consumeMiddlewares;
    private final List<ContextPropagator> contextPropagators;
    private final List<PublishMiddleware> publishMiddlewares;
    private final MessageScope scope;
    private final CircuitBreakers breakers;
    private final Executor callbacks;
    private final MeterRegistry meterRegistry;
    private final ObservationRegistry observationRegistry;
    private final List<SafeBunnyEvent.Listener> listeners;

    private SafeBunnyParts(Builder builder) {
        options = builder.options;
        transport = builder.transport;
        timeline = builder.timeline;
        store = builder.store;
        outbox = builder.outbox;
        scheduling = builder.scheduling;
        instance = builder.instance;
        serializers = builder.serializers == null
                ? new Serializers(List.of(new JsonMessageSerializer(JsonMapper.shared(), options.maxMessageSize())))
                : builder.serializers;
        codecs = builder.codecs;
        idScheme = builder.idScheme;
        consumeMiddlewares = builder.consumeMiddlewares;
        contextPropagators = builder.contextPropagators;
        publishMiddlewares = builder.publishMiddlewares;
        scope = builder.scope;
        breakers = builder.breakers == null
                ? new CircuitBreakers(BreakerSettings.defaults(), timeline, builder.callbacks)
                : builder.breakers;
        callbacks = builder.callbacks;
        meterRegistry = builder.meterRegistry;
        observationRegistry = builder.observationRegistry;
        listeners = builder.listeners;
    }

    /** Parts that are not set have the default that their setter names. */
    public static Builder builder(SafeBunnyOptions options, Transport transport, Timeline timeline) {
        return new Builder(options, transport, timeline);
    }

    public SafeBunnyOptions options() {
        return options;
    }

    public Transport transport() {
        return transport;
    }

    public Timeline timeline() {
        return timeline;
    }

    /** The store as it was given. The node itself uses it through {@link MeteredStore}. */
    public @Nullable MessageStore store() {
        return store;
    }

    public @Nullable Outbox outbox() {
        return outbox;
    }

    public boolean scheduling() {
        return scheduling;
    }

    public String instance() {
        return instance;
    }

    public Serializers serializers() {
        return serializers;
    }

    public Codecs codecs() {
        return codecs;
    }

    public IdScheme idScheme() {
        return idScheme;
    }

    public List<ConsumeMiddleware> consumeMiddlewares() {
        return consumeMiddlewares;
    }

    public List<ContextPropagator> contextPropagators() {
        return contextPropagators;
    }

    public List<PublishMiddleware> publishMiddlewares() {
        return publishMiddlewares;
    }

    public MessageScope scope() {
        return scope;
    }

    public CircuitBreakers breakers() {
        return breakers;
    }

    public Executor callbacks() {
        return callbacks;
    }

    public MeterRegistry meterRegistry() {
        return meterRegistry;
    }

    public ObservationRegistry observationRegistry() {
        return observationRegistry;
    }

    public List<SafeBunnyEvent.Listener> listeners() {
        return listeners;
    }

    /** Builds the parts of one node, once; not thread-safe. */
    public static final class Builder {

        private final SafeBunnyOptions options;
        private final Transport transport;
        private final Timeline timeline;
        private @Nullable MessageStore store;
        private @Nullable Outbox outbox;
        private boolean scheduling;
        private String instance = "";
        private @Nullable Serializers serializers;
        private Codecs codecs = Codecs.none();
        private IdScheme idScheme = new LineageIdScheme();
        private List<ConsumeMiddleware> consumeMiddlewares = List.of();
        private List<ContextPropagator> contextPropagators = List.of();
        private List<PublishMiddleware> publishMiddlewares = List.of();
        private MessageScope scope = new MessageScope();
        private @Nullable CircuitBreakers breakers;
        private Executor callbacks = ForkJoinPool.commonPool();
        private MeterRegistry meterRegistry = new SimpleMeterRegistry();
        private ObservationRegistry observationRegistry = ObservationRegistry.NOOP;
        private List<SafeBunnyEvent.Listener> listeners = List.of();

        private Builder(SafeBunnyOptions options, Transport transport, Timeline timeline) {
            this.options = options;
            this.transport = transport;
            this.timeline = timeline;
        }

        /** Default: none. Then duplicates of handled messages are handled again. */
        public Builder store(@Nullable MessageStore store) {
            this.store = store;
            return this;
        }

        /** Default: none. Then publications outside handlers are sent at once, even if the caller's transaction is rolled back. */
        public Builder outbox(@Nullable Outbox outbox) {
            this.outbox = outbox;
            return this;
        }

        /** Whether the node stores scheduled messages; it then needs a store, and has one more queue. Default: no. */
        public Builder scheduling(boolean scheduling) {
            this.scheduling = scheduling;
            return this;
        }

        /**
         * The name that operators see for this instance, such as its host. A few random characters are appended. Default: only the random
         * characters.
         */
        public Builder instance(String instance) {
            this.instance = instance;
            return this;
        }

        /** Default: JSON, with Jackson's shared mapper. */
        public Builder serializers(Serializers serializers) {
            this.serializers = serializers;
            return this;
        }

        /** Default: none. Then bodies are sent and received as serialized. */
        public Builder codecs(Codecs codecs) {
            this.codecs = codecs;
            return this;
        }

        /** Default: {@link LineageIdScheme}. */
        public Builder idScheme(IdScheme idScheme) {
            this.idScheme = idScheme;
            return this;
        }

        /** Outermost first. Default: none. */
        public Builder consumeMiddlewares(List<ConsumeMiddleware> middlewares) {
            this.consumeMiddlewares = List.copyOf(middlewares);
            return this;
        }

        /** Outermost first. Default: none. */
        public Builder contextPropagators(List<ContextPropagator> propagators) {
            this.contextPropagators = List.copyOf(propagators);
            return this;
        }

        /** Outermost first. Default: none. */
        public Builder publishMiddlewares(List<PublishMiddleware> middlewares) {
            this.publishMiddlewares = List.copyOf(middlewares);
            return this;
        }

        /** Default: a new one. */
        public Builder scope(MessageScope scope) {
            this.scope = scope;
            return this;
        }

        /** Default: {@link BreakerSettings#defaults()} for every type, on the common pool. */
        public Builder breakers(CircuitBreakers breakers) {
            this.breakers = breakers;
            return this;
        }

        /** Completes the futures of {@code publishAsync}, and runs retries after a lost connection. Default: the common pool. */
        public Builder callbacks(Executor callbacks) {
            this.callbacks = callbacks;
            return this;
        }

        /** Default: a registry of its own. */
        public Builder meterRegistry(MeterRegistry meterRegistry) {
            this.meterRegistry = meterRegistry;
            return this;
        }

        /** Default: no observations. */
        public Builder observationRegistry(ObservationRegistry observationRegistry) {
            this.observationRegistry = observationRegistry;
            return this;
        }

        /** The listeners receive all events, on a thread of the callbacks' executor. Default: none. */
        public Builder listeners(List<SafeBunnyEvent.Listener> listeners) {
            this.listeners = List.copyOf(listeners);
            return this;
        }

        public SafeBunnyParts build() {
            return new SafeBunnyParts(this);
        }
    }
}
