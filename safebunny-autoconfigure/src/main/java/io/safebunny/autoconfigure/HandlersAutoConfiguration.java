// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.autoconfigure.properties.DelayedRetryProperties;
import io.safebunny.autoconfigure.properties.ListenerProperties;
import io.safebunny.autoconfigure.properties.RetryProperties;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerSource;
import io.safebunny.handler.PayloadValidator;
import io.safebunny.handler.scanning.HandlerScanner;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.handler.scanning.UnscannedHandlers;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Beans that find the application's handlers and sagas. */
@AutoConfiguration(after = ValidationAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ListenerProperties.class, RetryProperties.class, DelayedRetryProperties.class})
final class HandlersAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    HandlerDefaults safeBunnyHandlerDefaults(
            ListenerProperties listener, RetryProperties retry, DelayedRetryProperties delayedRetry) {
        return new HandlerDefaults(
                listener.prefetch(),
                listener.messagesPerTransaction(),
                listener.batchSize(),
                retry.toSettings(),
                retry.delayed(delayedRetry),
                listener.rates());
    }

    @Bean
    @ConditionalOnMissingBean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    HandlerScanner safeBunnyHandlerScanner(
            ConfigurableListableBeanFactory beans,
            HandlerDefaults defaults,
            ObjectProvider<PayloadValidator> validators) {
        return new HandlerScanner(beans, defaults, validators.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    SagaScanner safeBunnySagaScanner(
            ConfigurableListableBeanFactory beans,
            HandlerDefaults defaults,
            ObjectProvider<PayloadValidator> validators) {
        return new SagaScanner(beans, defaults, validators.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    static UnscannedHandlers safeBunnyUnscannedHandlers() {
        return new UnscannedHandlers();
    }

    @Bean
    @ConditionalOnMissingBean
    ApplicationHandlers safeBunnyApplicationHandlers(
            ConfigurableApplicationContext context,
            ObjectProvider<HandlerSource> sources,
            SagaScanner sagas,
            UnscannedHandlers unscanned,
            HandlerDefaults defaults) {
        return new ApplicationHandlers(context, sources, sagas, unscanned, defaults);
    }
}
