// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.cosmos.CosmosMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** When it is there and when it is not, and what it refuses before it asks anybody. */
class CosmosStoreAutoConfigurationTest {

    private final ApplicationContextRunner node = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(CosmosStoreAutoConfiguration.class))
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("billing"));

    @Test
    void doesNothingUnlessAnAccountIsKnown() {
        node.run(context -> assertThat(context).doesNotHaveBean(MessageStore.class));
    }

    @Test
    void doesNothingWhenAnotherStoreIsChosen() {
        node.withPropertyValues(
                        "safebunny.store.type=memory", "spring.cloud.azure.cosmos.endpoint=https://127.0.0.1:1/")
                .run(context -> assertThat(context).doesNotHaveBean(MessageStore.class));
    }

    @Test
    void doesNothingWhenTheLibraryIsSwitchedOff() {
        node.withPropertyValues("safebunny.enabled=false", "safebunny.store.type=cosmos")
                .run(context -> assertThat(context).doesNotHaveBean(MessageStore.class));
    }

    @Test
    void doesNothingWhenTheApplicationHasAStore() {
        node.withPropertyValues("safebunny.store.type=cosmos")
                .withBean(
                        MemoryMessageStore.class,
                        () -> new MemoryMessageStore(new VirtualTimeline(), Duration.ofDays(1)))
                .run(context -> assertThat(context).doesNotHaveBean(CosmosMessageStore.class));
    }

    @Test
    void saysThatTheEndpointIsMissing() {
        node.withPropertyValues("safebunny.store.type=COSMOS").run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("SB-1414")
                .hasMessageContaining("spring.cloud.azure.cosmos.endpoint=https://ACCOUNT"));
    }

    @Test
    void saysThatCredentialsAreMissing() {
        node.withClassLoader(new FilteredClassLoader("com.azure.identity"))
                .withPropertyValues("spring.cloud.azure.cosmos.endpoint=https://127.0.0.1:1/")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageStartingWith("SB-1414")
                        .hasMessageContaining("azure-identity"));
    }

    @Test
    void saysThatTheAccountDoesNotAnswer() {
        node.withPropertyValues(
                        "spring.cloud.azure.cosmos.endpoint=not an address",
                        "spring.cloud.azure.cosmos.key=bm8gc2VjcmV0")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("SB-1414")
                        .satisfies(failure ->
                                assertThat(String.valueOf(failure.getMessage())).doesNotContain("bm8gc2VjcmV0")));
    }

    @Test
    void refusesARequestTimeoutOutOfRange() {
        node.withPropertyValues("safebunny.store.type=cosmos", "safebunny.store.cosmos.request-timeout=1ms")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("SB-1301")
                        .hasStackTraceContaining("100ms to 5m"));
    }
}
