// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.autoconfigure.properties.DelayProperties;
import io.safebunny.autoconfigure.properties.PublisherProperties;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.topology.TopologyOptions.PoisonLimits;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

class DefaultsTest {

    @Test
    void areThoseOfTheDocumentation() {
        Nodes.memory().run(context -> {
            SafeBunnyOptions options = context.getBean(SafeBunnyOptions.class);
            assertThat(options)
                    .isEqualTo(SafeBunnyOptions.of("shop")
                            .withTopology(TopologyOptions.defaults()
                                    .withPrefix("safebunny")
                                    .withQueueType(QueueType.QUORUM)
                                    .withDeliveryLimit(20)
                                    .withPoison(new PoisonLimits(null, null, Duration.ofDays(30))))
                            .withPublishTimeout(Duration.ofSeconds(30))
                            .withMaxInFlight(1000)
                            .withMaxMessageSize(10 * 1024 * 1024)
                            .withRetention(Duration.ofDays(7))
                            .withPoisonRetention(Duration.ofDays(90))
                            .withLease(Duration.ofSeconds(30))
                            .withExceptionDetails(ExceptionDetails.FULL)
                            .withTrustedUsers(TrustedUsers.UNCHECKED));
            assertThat(context.getBean(HandlerDefaults.class))
                    .isEqualTo(new HandlerDefaults(
                            10,
                            new RetrySettings(2, Duration.ofMillis(100), 2, Duration.ofSeconds(10), 0),
                            RetryStrategy.after(
                                    Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofMinutes(10))));
            SafeBunnyParts parts = context.getBean(SafeBunnyParts.class);
            assertThat(parts.idScheme()).isInstanceOf(LineageIdScheme.class);
            assertThat(parts.store()).isNull();
            assertThat(context).hasSingleBean(Bunny.class);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "'',                                                        90",
        "safebunny.dedup.retention=120d,                            120",
        "safebunny.poison.ttl=14d,                                  44",
        "safebunny.poison.ttl=1d;safebunny.poison.archive-ttl=1d,   7",
        "safebunny.poison.ttl=200d,                                 230"
    })
    void poisonMessagesAreRememberedAsLongAsACopyCanBeKept(String properties, int days) {
        Nodes.memory().withPropertyValues(properties.split(";", -1)).run(context -> assertThat(
                        context.getBean(SafeBunnyOptions.class).poisonRetention())
                .isEqualTo(Duration.ofDays(days)));
    }

    @Test
    void jitterAppliesToBothKindsOfRetries() {
        Nodes.memory().withPropertyValues("safebunny.retry.jitter=0.3").run(context -> {
            HandlerDefaults defaults = context.getBean(HandlerDefaults.class);
            assertThat(defaults.retry().jitter()).isEqualTo(0.3);
            assertThat(defaults.delayedRetry().jitter()).isEqualTo(0.3);
        });
    }

    @Test
    void ofThePublisherAndDelays() {
        new ApplicationContextRunner()
                .withUserConfiguration(RabbitProperties.class)
                .run(context -> {
                    assertThat(context.getBean(PublisherProperties.class))
                            .isEqualTo(new PublisherProperties(8, Duration.ofSeconds(30), 1000, false, null));
                    assertThat(context.getBean(DelayProperties.class).strategy())
                            .isEqualTo(DelayStrategy.LADDER);
                });
    }

    @Configuration
    @EnableConfigurationProperties({PublisherProperties.class, DelayProperties.class})
    static class RabbitProperties {}
}
