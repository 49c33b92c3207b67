// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import io.safebunny.autoconfigure.properties.DelayProperties;
import io.safebunny.autoconfigure.properties.ListenerProperties;
import io.safebunny.autoconfigure.properties.PublisherProperties;
import io.safebunny.autoconfigure.properties.TopologyProperties;
import io.safebunny.concurrency.Workers;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.rabbit.preflight.Preflight;
import io.safebunny.rabbit.preflight.TopologyWatch;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory.AddressShuffleMode;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** The transport over RabbitMQ, with the application's connection settings. */
@AutoConfiguration(
        // by name: Spring Boot 4.2 moves it to another package
        afterName = {
            "io.safebunny.autoconfigure.ThreadsAutoConfiguration",
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
            "org.springframework.boot.rabbitmq.autoconfigure.RabbitAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "safebunny.transport", havingValue = "rabbit", matchIfMissing = true)
@ConditionalOnMissingBean(Transport.class)
@EnableConfigurationProperties({
    PublisherProperties.class,
    ListenerProperties.class,
    DelayProperties.class,
    TopologyProperties.class
})
final class RabbitTransportAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RabbitConnections safeBunnyConnections(
            SafeBunnyOptions options,
            ObjectProvider<ConnectionFactory> factories,
            ObjectProvider<SslBundles> bundles,
            Environment environment,
            Timeline timeline) {
        AddressShuffleMode shuffle = Binder.get(environment)
                .bind("spring.rabbitmq.address-shuffle-mode", AddressShuffleMode.class)
                .orElse(AddressShuffleMode.NONE);
        AbstractConnectionFactory template = RabbitConnections.template(factories);
        RabbitConnections connections = RabbitConnections.like(template, options.node(), shuffle, timeline);
        String bundle = environment.getProperty("spring.rabbitmq.ssl.bundle");
        if (StringUtils.hasText(bundle) && template.getRabbitConnectionFactory().isSSL()) {
            bundles.ifAvailable(known ->
                    known.addBundleUpdateHandler(bundle, reloaded -> connections.useTls(reloaded.createSslContext())));
        }
        return connections;
    }

    @Bean
    @ConditionalOnMissingBean
    RabbitTransportOptions safeBunnyRabbitOptions(
            PublisherProperties publisher, ListenerProperties listener, DelayProperties delay) {
        return new RabbitTransportOptions(
                publisher.maxConcurrency(),
                delay.strategy(),
                publisher.userId() || !listener.trustedUsers().isEmpty());
    }

    @Bean
    Preflight safeBunnyPreflight(
            ObjectProvider<ConnectionFactory> factories, TopologyProperties topology, Timeline timeline) {
        com.rabbitmq.client.ConnectionFactory client =
                RabbitConnections.template(factories).getRabbitConnectionFactory();
        return new Preflight(
                topology.managementUri(),
                client.getUsername(),
                client.getPassword(),
                client.getVirtualHost(),
                timeline);
    }

    @Bean
    TopologyWatch safeBunnyTopologyWatch(Preflight preflight, Timeline timeline, Workers workers) {
        return new TopologyWatch(preflight, timeline, workers.executor());
    }

    /** Called after the application's own listeners, because it may wait for the broker. */
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    @ConditionalOnBooleanProperty("safebunny.events.publish")
    BrokerEvents safeBunnyBrokerEvents(RabbitConnections connections, TopologyProperties topology, Timeline timeline) {
        return new BrokerEvents(connections.publish(), topology.prefix(), timeline);
    }

    @Bean
    RabbitTransport safeBunnyTransport(
            RabbitTransportOptions options,
            SafeBunnyOptions node,
            RabbitConnections connections,
            Workers workers,
            Timeline timeline,
            ObjectProvider<ContainerCustomizer<AbstractMessageListenerContainer>> customizers) {
        node.trustedUsers()
                .requireUser(
                        node.node(), options.tellsUser() ? connections.publish().getUsername() : null);
        return new RabbitTransport(options, connections.all(), workers.executor(), timeline, container -> customizers
                .orderedStream()
                .forEach(customizer -> customizer.configure(container)));
    }
}
