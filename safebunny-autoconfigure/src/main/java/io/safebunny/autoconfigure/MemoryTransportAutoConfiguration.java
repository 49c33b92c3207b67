// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.autoconfigure.properties.EventsProperties;
import io.safebunny.concurrency.Workers;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** The transport within this process, if configured. Contexts that share one {@link MemoryBroker} bean exchange messages. */
@AutoConfiguration(after = ThreadsAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "safebunny.transport", havingValue = "memory")
final class MemoryTransportAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryTransportAutoConfiguration.class);

    @Bean
    @ConditionalOnMissingBean
    MemoryBroker safeBunnyMemoryBroker(Timeline timeline, Workers workers) {
        return new MemoryBroker(timeline, workers.executor());
    }

    @Bean
    @ConditionalOnMissingBean(Transport.class)
    MemoryTransport safeBunnyTransport(MemoryBroker broker, SafeBunnyOptions options, EventsProperties events) {
        if (events.publish()) {
            LOG.warn(
                    "Events stay in this process too: safebunny.events.publish needs RabbitMQ. Remove it, or set safebunny.transport=rabbit");
        }
        LOG.warn("Messages stay in this process [safebunny.transport=memory]: they are lost when it ends, and reach no"
                + " other application context unless both share one MemoryBroker bean");
        return new MemoryTransport(broker, options.topology());
    }
}
