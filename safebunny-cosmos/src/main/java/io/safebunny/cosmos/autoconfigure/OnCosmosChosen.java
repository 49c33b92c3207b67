// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/** Matches if {@code safebunny.store.type} is {@code cosmos}, or is not set and an endpoint or a client is configured. */
final class OnCosmosChosen extends SpringBootCondition implements ConfigurationCondition {

    private static final String TYPE = "safebunny.store.type";

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Cosmos DB store");
        String type = context.getEnvironment().getProperty(TYPE);
        if (StringUtils.hasText(type)) {
            return new ConditionOutcome(type.strip().equalsIgnoreCase("cosmos"), message.because(TYPE + " is " + type));
        }
        if (ClientSettings.hasEndpoint(context.getEnvironment())) {
            return ConditionOutcome.match(message.because("an endpoint is configured"));
        }
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        if (beans != null && hasClient(beans)) {
            return ConditionOutcome.match(message.because("there is a client"));
        }
        return ConditionOutcome.noMatch(message.because("neither endpoint nor client is known"));
    }

    private static boolean hasClient(ConfigurableListableBeanFactory beans) {
        return Stream.of(CosmosAsyncClient.class, CosmosClient.class, CosmosClientBuilder.class)
                .anyMatch(type ->
                        BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0);
    }
}
