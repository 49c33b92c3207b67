// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Time and threads. Everything else depends on these beans, so they are destroyed last. An application that wants its
 * own threads defines an {@link Executor} bean called {@value #EXECUTOR}; it must not queue.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
final class ThreadsAutoConfiguration {

    static final String EXECUTOR = "safeBunnyExecutor";

    @Bean
    @ConditionalOnMissingBean
    Timeline safeBunnyTimeline() {
        return new SystemTimeline("safebunny-timeline");
    }

    @Bean
    @ConditionalOnMissingBean
    Workers safeBunnyWorkers(@Qualifier(EXECUTOR) ObjectProvider<Executor> own, Environment environment) {
        Executor executor = own.getIfAvailable();
        if (executor != null) {
            return Workers.of(executor);
        }
        return Threading.VIRTUAL.isActive(environment) ? Workers.virtual() : Workers.platform();
    }
}
