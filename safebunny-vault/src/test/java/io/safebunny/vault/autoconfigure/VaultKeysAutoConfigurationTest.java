// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.time.Timeline;
import io.safebunny.vault.VaultKeys;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;
import org.springframework.vault.client.VaultEndpoint;
import org.springframework.vault.core.VaultOperations;
import org.springframework.vault.core.VaultTemplate;

class VaultKeysAutoConfigurationTest {

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ours()))
            .withBean(Timeline.class, VirtualTimeline::new);

    private final ApplicationContextRunner node = bare.withBean(
            VaultOperations.class, () -> new VaultTemplate(VaultEndpoint.create("nowhere.invalid", 8200)));

    /** Of this module and of safebunny-crypto. */
    private static Class<?>[] ours() {
        ClassLoader loader = VaultKeysAutoConfigurationTest.class.getClassLoader();
        return ImportCandidates.load(org.springframework.boot.autoconfigure.AutoConfiguration.class, loader)
                .getCandidates()
                .stream()
                .filter(name -> name.startsWith("io.safebunny."))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new);
    }

    /** Nothing is asked at the start, so Vault may be away. */
    @Test
    void aClientOfVaultIsEnough() {
        node.run(context -> {
            assertThat(context).hasSingleBean(KeyProvider.class).hasSingleBean(VaultKeys.class);
            assertThat(context).hasSingleBean(BodyCodec.class);
        });
    }

    @Test
    void withoutAClientThereAreNoKeys() {
        bare.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KeyProvider.class));
        node.withPropertyValues("safebunny.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(KeyProvider.class));
    }

    @Test
    void keysOfTheApplicationTakeItsPlace() {
        node.withBean(KeyProvider.class, () -> MemoryKeys.of("payments"))
                .run(context -> assertThat(context).doesNotHaveBean(VaultKeys.class));
    }

    @Test
    void besideAKeystoreItDoesNotStart() {
        node.withPropertyValues("safebunny.encryption.keystore.location=keys.p12")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageContainingAll("SB-1320", "safebunny.encryption.keystore.location=keys.p12"));
    }

    @Test
    void aMountThatIsNoPathIsRefused() {
        node.withPropertyValues("safebunny.encryption.vault.mount=../sys")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("SB-1301"));
    }
}
