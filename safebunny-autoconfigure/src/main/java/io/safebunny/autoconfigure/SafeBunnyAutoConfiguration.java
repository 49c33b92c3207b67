// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.Bunny;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyScope;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.ScheduledMessages;
import io.safebunny.autoconfigure.diagnosis.UnknownProperties;
import io.safebunny.autoconfigure.lifecycle.ConsumingLifecycle;
import io.safebunny.autoconfigure.lifecycle.EngineLifecycle;
import io.safebunny.autoconfigure.properties.BodiesProperties;
import io.safebunny.autoconfigure.properties.DedupProperties;
import io.safebunny.autoconfigure.properties.EventsProperties;
import io.safebunny.autoconfigure.properties.NodeProperties;
import io.safebunny.autoconfigure.properties.PoisonProperties;
import io.safebunny.autoconfigure.properties.PublisherProperties;
import io.safebunny.autoconfigure.properties.SafeBunnyProperties;
import io.safebunny.autoconfigure.properties.SafeBunnyProperties.TransportKind;
import io.safebunny.autoconfigure.properties.SagaProperties;
import io.safebunny.autoconfigure.properties.SchedulingProperties;
import io.safebunny.autoconfigure.properties.TopologyProperties;
import io.safebunny.autoconfigure.rabbit.TopologyCommand;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.concurrency.Workers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.handling.MessageScope;
import io.safebunny.identity.IdScheme;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.rabbit.preflight.TopologyWatch;
import io.safebunny.saga.Sagas;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.story.BunnyStory;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The engine of this node, its {@link Bunny}, and their lifecycle in the application context. */
@AutoConfiguration(
        after = {
            ThreadsAutoConfiguration.class,
            CircuitBreakerAutoConfiguration.class,
            SerializationAutoConfiguration.class,
            IdsAutoConfiguration.class,
            StoreAutoConfiguration.class,
            MemoryTransportAutoConfiguration.class,
            HandlersAutoConfiguration.class
        },
        afterName = {
            "io.safebunny.autoconfigure.rabbit.RabbitTransportAutoConfiguration",
            SafeBunnyAutoConfiguration.MICROMETER + "metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            SafeBunnyAutoConfiguration.MICROMETER
                    + "metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
            SafeBunnyAutoConfiguration.MICROMETER + "observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties({
    SafeBunnyProperties.class,
    PublisherProperties.class,
    BodiesProperties.class,
    TopologyProperties.class,
    PoisonProperties.class,
    DedupProperties.class,
    SagaProperties.class,
    SchedulingProperties.class,
    EventsProperties.class
})
final class SafeBunnyAutoConfiguration {

    static final String MICROMETER = "org.springframework.boot.micrometer.";

    private static final List<String> STORES =
            List.of("io.safebunny.jdbc.store.JdbcMessageStore", "io.safebunny.cosmos.CosmosMessageStore");

    private static final Logger LOG = LoggerFactory.getLogger(SafeBunnyAutoConfiguration.class);
    private static final Duration DEFAULT_PHASE_TIMEOUT = Duration.ofSeconds(30);

    @Bean
    @ConditionalOnMissingBean
    SafeBunnyOptions safeBunnyOptions(
            SafeBunnyProperties node,
            TopologyOptions topology,
            ObjectProvider<NodeProperties> sections,
            Environment environment) {
        SafeBunnyOptions options = SafeBunnyOptions.of(
                        NodeName.of(node.node(), environment.getProperty("spring.application.name")))
                .withTopology(topology);
        for (NodeProperties section : sections) {
            options = section.applyTo(options);
        }
        // only RabbitMQ verifies who published a message
        return node.transport() == TransportKind.MEMORY ? options.withTrustedUsers(TrustedUsers.UNCHECKED) : options;
    }

    @Bean
    @ConditionalOnMissingBean
    TopologyOptions safeBunnyTopologyOptions(TopologyProperties topology, PoisonProperties poison) {
        return topology.toOptions(poison);
    }

    @Bean
    @ConditionalOnMissingBean
    static MessageScope safeBunnyMessageScope() {
        return new MessageScope();
    }

    @Bean
    static BeanFactoryPostProcessor safeBunnyScopeRegistration(MessageScope scope) {
        return beans -> beans.registerScope(BunnyScope.NAME, scope);
    }

    @Bean
    static UnknownProperties safeBunnyUnknownProperties(Environment environment) {
        return new UnknownProperties(environment);
    }

    /** Has many parameters, because all beans meet here and nowhere else. */
    @Bean
    @ConditionalOnMissingBean
    SafeBunnyParts safeBunnyParts(
            SafeBunnyOptions options,
            Transport transport,
            ObjectProvider<MessageStore> stores,
            ObjectProvider<Outbox> outboxes,
            SchedulingProperties scheduling,
            Serializers serializers,
            Codecs codecs,
            IdScheme idScheme,
            ObjectProvider<ConsumeMiddleware> consumeMiddlewares,
            ObjectProvider<ContextPropagator> contextPropagators,
            ObjectProvider<PublishMiddleware> publishMiddlewares,
            MessageScope scope,
            CircuitBreakers breakers,
            Timeline timeline,
            Workers workers,
            ObjectProvider<MeterRegistry> meterRegistries,
            ObjectProvider<ObservationRegistry> observationRegistries,
            ApplicationEventPublisher publisher,
            ObjectProvider<SafeBunnyEvent.Listener> listeners,
            Environment environment) {
        MessageStore store = stores.getIfAvailable();
        if (store == null) {
            tellThatThereIsNoStore(environment.getProperty("safebunny.store.type"));
        }
        return SafeBunnyParts.builder(options, transport, timeline)
                .store(store)
                .outbox(outboxes.getIfAvailable())
                .scheduling(scheduling.enabled())
                .instance(environment.getProperty("HOSTNAME", ""))
                .serializers(serializers)
                .codecs(codecs)
                .idScheme(idScheme)
                .consumeMiddlewares(consumeMiddlewares.orderedStream().toList())
                .contextPropagators(contextPropagators.orderedStream().toList())
                .publishMiddlewares(publishMiddlewares.orderedStream().toList())
                .scope(scope)
                .breakers(breakers)
                .callbacks(workers.executor())
                .meterRegistry(meterRegistries.getIfUnique(SimpleMeterRegistry::new))
                .observationRegistry(observationRegistries.getIfUnique(() -> ObservationRegistry.NOOP))
                .listeners(Stream.concat(
                                Stream.<SafeBunnyEvent.Listener>of(publisher::publishEvent), listeners.orderedStream())
                        .toList())
                .build();
    }

    private static void tellThatThereIsNoStore(@Nullable String type) {
        if (type == null && STORES.stream().anyMatch(store -> ClassUtils.isPresent(store, null))) {
            LOG.warn(
                    "There is no message store, although a store module is on the class path: a message that is delivered"
                            + " twice is handled twice, and there is no outbox. safebunny-jdbc needs spring-boot-starter-jdbc, a driver"
                            + " and spring.datasource.url, that is one DataSource, or one marked @Primary; safebunny-cosmos needs spring.cloud.azure.cosmos.endpoint. Set safebunny.store.type=jdbc or"
                            + " cosmos to see what is missing, or none if this is what you want");
        } else if (type == null) {
            LOG.warn(
                    "No message store [safebunny.store.type is not set]: a message that is delivered twice is handled twice."
                            + " Add safebunny-jdbc or safebunny-cosmos, or set safebunny.store.type=none if this is what you want");
        } else {
            LOG.info(
                    "No message store [safebunny.store.type={}]: a message that is delivered twice is handled twice",
                    type);
        }
    }

    @Bean
    @ConditionalOnMissingBean
    SafeBunnyEngine safeBunnyEngine(SafeBunnyParts parts) {
        return new SafeBunnyEngine(parts);
    }

    @Bean
    Deferred safeBunnyDeferred(ObjectProvider<SafeBunnyEngine> engine) {
        return new Deferred(engine);
    }

    @Bean
    @ConditionalOnMissingBean
    Bunny bunny(Deferred deferred) {
        return deferred.bean(Bunny.class, SafeBunnyEngine::bunny);
    }

    @Bean
    @ConditionalOnMissingBean
    BunnyOperations safeBunnyOperations(Deferred deferred) {
        return deferred.bean(BunnyOperations.class, engine -> engine.get(BunnyOperations.class));
    }

    @Bean
    @ConditionalOnMissingBean
    Sagas safeBunnySagas(Deferred deferred) {
        return deferred.bean(Sagas.class, engine -> engine.get(Sagas.class));
    }

    @Bean
    @ConditionalOnMissingBean
    PoisonMessages safeBunnyPoisonMessages(Deferred deferred) {
        return deferred.bean(PoisonMessages.class, engine -> engine.get(PoisonMessages.class));
    }

    @Bean
    @ConditionalOnMissingBean
    ScheduledMessages safeBunnyScheduledMessages(Deferred deferred) {
        return deferred.bean(ScheduledMessages.class, engine -> engine.get(ScheduledMessages.class));
    }

    @Bean
    @ConditionalOnMissingBean
    BunnyStory safeBunnyStory(Deferred deferred) {
        return deferred.bean(BunnyStory.class, engine -> engine.get(BunnyStory.class));
    }

    @Bean
    @ConditionalOnMissingBean
    EngineLifecycle safeBunnyLifecycle(SafeBunnyEngine engine, ApplicationHandlers handlers, Environment environment) {
        return new EngineLifecycle(engine, handlers::find, handlers::findSagas, isToRun(environment));
    }

    @Bean
    @ConditionalOnMissingBean
    ConsumingLifecycle safeBunnyConsumingLifecycle(
            SafeBunnyEngine engine, Environment environment, ObjectProvider<TopologyWatch> watch) {
        Duration phaseTimeout = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(DEFAULT_PHASE_TIMEOUT);
        return new ConsumingLifecycle(engine, phaseTimeout, isToRun(environment), watch.getIfAvailable());
    }

    private static boolean isToRun(Environment environment) {
        return !TopologyCommand.isAsked(environment);
    }
}
