// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import com.azure.core.credential.TokenCredential;
import com.azure.cosmos.ConnectionMode;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.ThrottlingRetryOptions;
import io.safebunny.failure.ConfigurationException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Builds a client from the properties of Spring Cloud Azure, {@code spring.cloud.azure.cosmos.*}. They are read even if Spring Cloud Azure
 * is not on the class path; if it is, it usually provides a client builder of its own.
 */
final class ClientSettings {

    private static final String PREFIX = "spring.cloud.azure.cosmos.";
    private static final String ENDPOINT = PREFIX + "endpoint";
    private static final String KEY = PREFIX + "key";
    private static final String DATABASE = PREFIX + "database";
    private static final String CONNECTION_MODE = PREFIX + "connection-mode";

    private static final String DEFAULT_DATABASE = "safebunny";
    private static final String IDENTITY = "com.azure.identity.DefaultAzureCredentialBuilder";

    /** Few, because SafeBunny itself slows down when it is throttled: the client only has to cope with occasional rejections. */
    private static final int THROTTLED_RETRIES = 2;

    private static final Duration THROTTLED_WAIT = Duration.ofSeconds(1);

    private ClientSettings() {}

    static boolean hasEndpoint(Environment environment) {
        return StringUtils.hasText(environment.getProperty(ENDPOINT));
    }

    static String database(Environment environment) {
        String database = environment.getProperty(DATABASE);
        return StringUtils.hasText(database) ? database : DEFAULT_DATABASE;
    }

    /** @throws ConfigurationException SB-1414 when there is no endpoint, or no credentials for it */
    static CosmosClientBuilder builder(Environment environment, @Nullable TokenCredential credential) {
        if (!hasEndpoint(environment)) {
            throw new ConfigurationException(
                    "SB-1414",
                    "The Cosmos DB account is unknown [%s]: it is not set, and there is no".formatted(ENDPOINT)
                            + " CosmosAsyncClient, CosmosClient or CosmosClientBuilder bean, or there are several.",
                    "Set %s=https://ACCOUNT.documents.azure.com:443/.".formatted(ENDPOINT));
        }
        CosmosClientBuilder builder = new CosmosClientBuilder()
                .endpoint(environment.getRequiredProperty(ENDPOINT))
                .userAgentSuffix("safebunny")
                .contentResponseOnWriteEnabled(false)
                .throttlingRetryOptions(new ThrottlingRetryOptions()
                        .setMaxRetryAttemptsOnThrottledRequests(THROTTLED_RETRIES)
                        .setMaxRetryWaitTime(THROTTLED_WAIT));
        switch (Binder.get(environment)
                .bind(CONNECTION_MODE, ConnectionMode.class)
                .orElse(ConnectionMode.DIRECT)) {
            case GATEWAY -> builder.gatewayMode();
            case DIRECT -> builder.directMode();
        }
        String key = environment.getProperty(KEY);
        return StringUtils.hasText(key)
                ? builder.key(key)
                : builder.credential(credential == null ? ofTheEnvironment() : credential);
    }

    private static TokenCredential ofTheEnvironment() {
        if (!ClassUtils.isPresent(IDENTITY, null)) {
            throw new ConfigurationException(
                    "SB-1414",
                    "There are no credentials for Cosmos DB [%s]: it is not set, there is no".formatted(KEY)
                            + " TokenCredential bean, and com.azure:azure-identity is not on the class path.",
                    "Add com.azure:azure-identity to use the environment's identity, or set %s.".formatted(KEY));
        }
        return IdentityCredential.ofTheEnvironment();
    }
}
