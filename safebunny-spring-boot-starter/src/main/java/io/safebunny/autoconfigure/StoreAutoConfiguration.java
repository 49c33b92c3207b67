// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.time.Timeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The memory of handled messages, in this process when asked for; other stores bring their own auto-configuration. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties({StoreProperties.class, DedupProperties.class})
final class StoreAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(StoreAutoConfiguration.class);

    /** @param properties bound here so that a wrong type, which no condition below would match, is refused */
    StoreAutoConfiguration(StoreProperties properties) {}

    @Bean
    @ConditionalOnMissingBean(MessageStore.class)
    @ConditionalOnProperty(name = "safebunny.store.type", havingValue = "memory")
    MemoryMessageStore safeBunnyMessageStore(Timeline timeline, DedupProperties dedup) {
        LOG.warn("Handled messages are remembered in memory [safebunny.store.type=memory]: a restart forgets "
                + "them, and other instances of this node do not know them");
        return new MemoryMessageStore(timeline, dedup.retention());
    }

    /** Its module comes before and defines the store; only where it is missing nobody has. */
    @Bean
    @ConditionalOnMissingBean(MessageStore.class)
    @ConditionalOnProperty(name = "safebunny.store.type", havingValue = "jdbc")
    MessageStore safeBunnyJdbcModule() {
        return missingModule("jdbc");
    }

    /** As for JDBC. */
    @Bean
    @ConditionalOnMissingBean(MessageStore.class)
    @ConditionalOnProperty(name = "safebunny.store.type", havingValue = "cosmos")
    MessageStore safeBunnyCosmosModule() {
        return missingModule("cosmos");
    }

    @SuppressWarnings("DoNotCallSuggester") // it is the answer of two methods that must have one
    private static MessageStore missingModule(String type) {
        throw new ConfigurationException(
                "SB-1403",
                "No store of this type [safebunny.store.type=%s]: its module is not on the class path.".formatted(type),
                "Add io.safebunny:safebunny-%s, or set safebunny.store.type=none.".formatted(type));
    }
}
