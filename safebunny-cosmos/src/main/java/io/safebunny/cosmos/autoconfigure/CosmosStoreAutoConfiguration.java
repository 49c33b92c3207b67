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
import io.safebunny.engine.SafeBunnyOptions;
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
    static final String FALLBACK = "spring.cloud.azure.cosmos.";

    private static final String DEFAULT_DATABASE = "safebunny";

    /** Prefers the application's own clients, which are used as they are and never closed here. */
    @Bean(destroyMethod = "close")
    CosmosConnection safeBunnyCosmosConnection(
            CosmosStoreProperties properties,
            Environment environment,
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
                builder != null ? builder : ClientSettings.builder(properties, environment, credentials.getIfUnique()));
    }

    @Bean
    CosmosMessageStore safeBunnyCosmosMessageStore(
            CosmosConnection connection,
            CosmosStoreProperties properties,
            SafeBunnyOptions node,
            Environment environment,
            ObjectProvider<MeterRegistry> meters) {
        CosmosAsyncContainer container = connection.open(containerOptions(properties, node, environment));
        return new CosmosMessageStore(
                container,
                new Retention(node.retention(), node.poisonRetention()),
                properties.requestTimeout(),
                meters.getIfUnique(SimpleMeterRegistry::new));
    }

    /** For who wants to look at records; nothing of the library needs it. */
    @Bean
    CosmosRecords safeBunnyCosmosRecords(
            CosmosConnection connection,
            CosmosStoreProperties properties,
            SafeBunnyOptions node,
            Environment environment,
            ObjectProvider<MeterRegistry> meters) {
        return connection.records(
                containerOptions(properties, node, environment),
                properties.requestTimeout(),
                meters.getIfUnique(SimpleMeterRegistry::new));
    }

    private static CosmosContainerOptions containerOptions(
            CosmosStoreProperties properties, SafeBunnyOptions node, Environment environment) {
        String container = properties.container();
        String database = ClientSettings.either(properties.database(), environment.getProperty(FALLBACK + "database"));
        return new CosmosContainerOptions(
                database == null ? DEFAULT_DATABASE : database,
                StringUtils.hasText(container) ? container : properties.containerPrefix() + node.node(),
                properties.createContainer(),
                properties.autoscaleMaxThroughput(),
                properties.acceptMultipleWriteRegions());
    }
}
