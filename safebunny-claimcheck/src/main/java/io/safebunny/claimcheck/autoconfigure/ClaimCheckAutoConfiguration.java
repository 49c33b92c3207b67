// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.bodies.BodyStore;
import io.safebunny.bodies.ClaimCheck;
import io.safebunny.claimcheck.BodyMeters;
import io.safebunny.claimcheck.BodySweep;
import io.safebunny.claimcheck.FileBodyStore;
import io.safebunny.claimcheck.StoringClaimCheck;
import io.safebunny.concurrency.Workers;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.time.Timeline;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Puts large bodies into a {@link BodyStore}: a folder, or what the application or another module has as a bean. */
@AutoConfiguration(
        beforeName = "io.safebunny.autoconfigure.SerializationAutoConfiguration",
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties(ClaimCheckProperties.class)
final class ClaimCheckAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(ClaimCheckAutoConfiguration.class);

    @Bean
    @ConditionalOnMissingBean(FileBodyStore.class)
    @ConditionalOnProperty("safebunny.claim-check.files.location")
    FileBodyStore safeBunnyFileBodyStore(ClaimCheckProperties properties, Timeline timeline) {
        return new FileBodyStore(
                Objects.requireNonNull(properties.files().location(), "the bean depends on it"), timeline);
    }

    /** Otherwise it would only be noticed when the broker refuses a message. */
    @Bean
    @ConditionalOnMissingBean({BodyStore.class, ClaimCheck.class})
    SmartInitializingSingleton safeBunnyNoBodyStore() {
        return () -> LOG.warn(
                "There is no body store, although safebunny-claimcheck is on the class path: large bodies are sent with their messages. Set"
                        + " safebunny.claim-check.files.location to a folder that all nodes share, or safebunny.claim-check.jdbc.enabled if they share a database, or define a BodyStore bean; or remove"
                        + " safebunny-claimcheck");
    }

    @Bean
    @ConditionalOnBean(BodyStore.class)
    BodyMeters safeBunnyBodyMeters(ObjectProvider<MeterRegistry> registries) {
        return new BodyMeters(registries.getIfUnique(SimpleMeterRegistry::new));
    }

    @Bean
    @ConditionalOnBean(BodyStore.class)
    @ConditionalOnMissingBean(ClaimCheck.class)
    StoringClaimCheck safeBunnyClaimCheck(
            ObjectProvider<BodyStore> stores,
            ClaimCheckProperties properties,
            SafeBunnyOptions options,
            Timeline timeline,
            BodyMeters meters) {
        return new StoringClaimCheck(
                stores.orderedStream().toList(),
                properties.store(),
                properties.above().toBytes(),
                properties.kept(options).minus(ClaimCheckProperties.needed(options)),
                timeline,
                meters);
    }

    @Bean(initMethod = "start", destroyMethod = "stop")
    @ConditionalOnBean(StoringClaimCheck.class)
    BodySweep safeBunnyBodySweep(
            StoringClaimCheck claimCheck,
            ClaimCheckProperties properties,
            SafeBunnyOptions options,
            Timeline timeline,
            BodyMeters meters,
            Workers workers) {
        return new BodySweep(claimCheck.store(), properties.kept(options), timeline, meters, workers.executor());
    }
}
