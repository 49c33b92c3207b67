// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import com.azure.core.credential.TokenCredential;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.ThrottlingRetryOptions;
import io.safebunny.failure.ConfigurationException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Builds a client from properties. */
final class ClientSettings {

    private static final String IDENTITY = "com.azure.identity.DefaultAzureCredentialBuilder";

    /** Few, because SafeBunny itself slows down when throttled; the client should only smooth over single refusals. */
    private static final int THROTTLED_RETRIES = 2;

    private static final Duration THROTTLED_WAIT = Duration.ofSeconds(1);

    private ClientSettings() {}

    /** @throws ConfigurationException SB-1414 when there is no endpoint, or no credentials for it */
    static CosmosClientBuilder builder(
            CosmosStoreProperties properties, Environment environment, @Nullable TokenCredential credential) {
        String endpoint = either(properties.endpoint(), fallback(environment, "endpoint"));
        if (endpoint == null) {
            throw new ConfigurationException(
                    "SB-1414",
                    "The Cosmos DB account is unknown [safebunny.store.cosmos.endpoint]: it is not set and there is no"
                            + " CosmosAsyncClient, CosmosClient or CosmosClientBuilder bean, or there are several.",
                    "Set safebunny.store.cosmos.endpoint=https://ACCOUNT.documents.azure.com:443/.");
        }
        CosmosClientBuilder builder = new CosmosClientBuilder()
                .endpoint(endpoint)
                .userAgentSuffix("safebunny")
                .contentResponseOnWriteEnabled(false)
                .throttlingRetryOptions(new ThrottlingRetryOptions()
                        .setMaxRetryAttemptsOnThrottledRequests(THROTTLED_RETRIES)
                        .setMaxRetryWaitTime(THROTTLED_WAIT));
        switch (properties.connectionMode()) {
            case GATEWAY -> builder.gatewayMode();
            case DIRECT -> builder.directMode();
        }
        String key = either(properties.key(), fallback(environment, "key"));
        return key != null ? builder.key(key) : builder.credential(credential(properties, credential));
    }

    private static TokenCredential credential(CosmosStoreProperties properties, @Nullable TokenCredential credential) {
        if (credential != null) {
            return credential;
        }
        if (!ClassUtils.isPresent(IDENTITY, null)) {
            throw new ConfigurationException(
                    "SB-1414",
                    "There are no credentials for Cosmos DB [safebunny.store.cosmos.key]: it is not set, there is no"
                            + " TokenCredential bean and com.azure:azure-identity is not on the class path.",
                    "Add com.azure:azure-identity to use the environment's identity, or set safebunny.store.cosmos.key.");
        }
        return IdentityCredential.of(properties.managedIdentityClientId());
    }

    private static @Nullable String fallback(Environment environment, String name) {
        return environment.getProperty(CosmosStoreAutoConfiguration.FALLBACK + name);
    }

    static @Nullable String either(@Nullable String preferred, @Nullable String other) {
        if (StringUtils.hasText(preferred)) {
            return preferred;
        }
        return StringUtils.hasText(other) ? other : null;
    }
}
