// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import com.azure.core.credential.TokenCredential;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.cosmos.CosmosContainerOptions;
import io.safebunny.cosmos.CosmosMessageStore;
import io.safebunny.cosmos.CosmosRecords;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** The message store in Azure Cosmos DB, if it is chosen, or if an account is configured and no store is chosen. */
@AutoConfiguration(
        beforeName = "io.safebunny.autoconfigure.StoreAutoConfiguration",
        afterName = {
            "com.azure.spring.cloud.autoconfigure.implementation.cosmos.AzureCosmosAutoConfiguration",
            CosmosStoreAutoConfiguration.METRICS + "CompositeMeterRegistryAutoConfiguration",
            CosmosStoreAutoConfiguration.METRICS + "export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(MessageStore.class)
@Conditional(OnCosmosChosen.class)
@EnableConfigurationProperties(CosmosStoreProperties.class)
final class CosmosStoreAutoConfiguration {

    static final String METRICS = "org.springframework.boot.micrometer.metrics.autoconfigure.";
    private static final String CONTAINER_PREFIX = "safebunny-";

    private final CosmosStoreProperties properties;
    private final Environment environment;

    CosmosStoreAutoConfiguration(CosmosStoreProperties properties, Environment environment) {
        this.properties = properties;
        this.environment = environment;
    }

    /** Prefers the application's own clients, which are used as they are and never closed here. */
    @Bean(destroyMethod = "close")
    CosmosConnection safeBunnyCosmosConnection(
            ObjectProvider<CosmosAsyncClient> asyncClients,
            ObjectProvider<CosmosClient> clients,
            ObjectProvider<CosmosClientBuilder> builders,
            ObjectProvider<TokenCredential> credentials) {
        CosmosAsyncClient asyncClient = asyncClients.getIfUnique();
        if (asyncClient != null) {
            return CosmosConnection.borrowed(asyncClient);
        }
        CosmosClient client = clients.getIfUnique();
        if (client != null) {
            return CosmosConnection.borrowed(client);
        }
        CosmosClientBuilder builder = builders.getIfUnique();
        return CosmosConnection.build(
                builder != null ? builder : ClientSettings.builder(environment, credentials.getIfUnique()));
    }

    @Bean
    CosmosMessageStore safeBunnyCosmosMessageStore(
            CosmosConnection connection, SafeBunnyOptions node, ObjectProvider<MeterRegistry> meters) {
        CosmosAsyncContainer container = connection.open(containerOptions(node));
        return new CosmosMessageStore(
                container,
                new Retention(node.retention(), node.poisonRetention()),
                properties.requestTimeout(),
                meters.getIfUnique(SimpleMeterRegistry::new));
    }

    /** For applications that inspect records; the library itself does not use it. */
    @Bean
    CosmosRecords safeBunnyCosmosRecords(
            CosmosConnection connection, SafeBunnyOptions node, ObjectProvider<MeterRegistry> meters) {
        return connection.records(
                containerOptions(node), properties.requestTimeout(), meters.getIfUnique(SimpleMeterRegistry::new));
    }

    private CosmosContainerOptions containerOptions(SafeBunnyOptions node) {
        String container = properties.container();
        return new CosmosContainerOptions(
                ClientSettings.database(environment),
                StringUtils.hasText(container) ? container : CONTAINER_PREFIX + node.node(),
                properties.createContainer(),
                properties.autoscaleMaxThroughput(),
                properties.acceptMultipleWriteRegions());
    }
}
