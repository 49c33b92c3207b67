// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault.autoconfigure;

import io.safebunny.encryption.KeyProvider;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.time.Timeline;
import io.safebunny.vault.VaultKeys;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.vault.core.VaultOperations;

/** Takes the keys of encrypted bodies from Vault, if there is a client of it: that of Spring Cloud Vault, or the application's. */
@AutoConfiguration(
        beforeName = "io.safebunny.crypto.autoconfigure.EncryptionAutoConfiguration",
        afterName = "org.springframework.cloud.vault.config.VaultAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties(VaultKeysProperties.class)
final class VaultKeysAutoConfiguration {

    private static final String KEYSTORE = "safebunny.encryption.keystore.location";

    /** @throws ConfigurationException SB-1320 when there is a keystore, too: which of the two encrypts would be a matter of luck */
    @Bean
    @ConditionalOnBean(VaultOperations.class)
    @ConditionalOnMissingBean(KeyProvider.class)
    VaultKeys safeBunnyVaultKeys(
            VaultOperations vault, VaultKeysProperties properties, Timeline timeline, Environment environment) {
        if (environment.containsProperty(KEYSTORE)) {
            throw new ConfigurationException(
                    "SB-1320",
                    "There are two places for the keys of encrypted bodies: Vault (safebunny-vault and a VaultOperations bean) and a keystore [%s=%s]."
                            .formatted(KEYSTORE, environment.getProperty(KEYSTORE)),
                    "Remove %s, or safebunny-vault; to read with both while you change over, define a KeyProvider bean that asks each (docs/encryption.md)."
                            .formatted(KEYSTORE));
        }
        return new VaultKeys(vault, properties.mount(), timeline);
    }
}
