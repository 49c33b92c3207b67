// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.concurrency.Workers;
import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The clock and the threads. Every other SafeBunny bean depends on them, so they are destroyed last. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
final class ThreadsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Timeline safeBunnyTimeline() {
        return new SystemTimeline("safebunny-timeline");
    }

    @Bean
    @ConditionalOnMissingBean
    Workers safeBunnyWorkers(Environment environment) {
        return Threading.VIRTUAL.isActive(environment) ? WorkerThreads.virtual() : WorkerThreads.platform();
    }
}
