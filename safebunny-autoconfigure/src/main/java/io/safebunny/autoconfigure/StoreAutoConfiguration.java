// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.autoconfigure.properties.StoreProperties;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.time.Timeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The in-memory message store, if configured; other stores bring their own auto-configuration. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties(StoreProperties.class)
final class StoreAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(StoreAutoConfiguration.class);

    /** @param properties bound here so that an invalid type fails the start; no condition below would match it */
    StoreAutoConfiguration(StoreProperties properties) {}

    @Bean
    @ConditionalOnMissingBean(MessageStore.class)
    @ConditionalOnProperty(name = "safebunny.store.type", havingValue = "memory")
    MemoryMessageStore safeBunnyMessageStore(Timeline timeline, SafeBunnyOptions node) {
        LOG.warn(
                "The message store is in memory [safebunny.store.type=memory]: a restart forgets all handled messages, "
                        + "loses those that wait in order, and other instances of this node do not see them");
        return new MemoryMessageStore(timeline, new Retention(node.retention(), node.poisonRetention()));
    }

    /** Reached only if safebunny-jdbc is missing: its auto-configuration runs before this one and defines the store. */
    @Bean
    @ConditionalOnMissingBean(MessageStore.class)
    @ConditionalOnProperty(name = "safebunny.store.type", havingValue = "jdbc")
    MessageStore safeBunnyJdbcModule() {
        return missingModule("jdbc");
    }

    /** Reached only if safebunny-cosmos is missing. */
    @Bean
    @ConditionalOnMissingBean(MessageStore.class)
    @ConditionalOnProperty(name = "safebunny.store.type", havingValue = "cosmos")
    MessageStore safeBunnyCosmosModule() {
        return missingModule("cosmos");
    }

    @SuppressWarnings("DoNotCallSuggester") // the two bean methods above need a value to return
    private static MessageStore missingModule(String type) {
        throw new ConfigurationException(
                "SB-1403",
                "No store of this type [safebunny.store.type=%s]: its module is not on the class path.".formatted(type),
                "Add io.safebunny:safebunny-%s, or set safebunny.store.type=none.".formatted(type));
    }
}
