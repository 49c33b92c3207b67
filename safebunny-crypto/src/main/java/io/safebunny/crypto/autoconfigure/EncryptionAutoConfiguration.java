// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto.autoconfigure;

import io.safebunny.crypto.EncryptingCodec;
import io.safebunny.crypto.KeystoreKeys;
import io.safebunny.crypto.Subjects;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.time.Timeline;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Encrypts and decrypts the bodies of marked types, if there are keys: a keystore, or a {@link KeyProvider} of the application. */
@AutoConfiguration(
        beforeName = "io.safebunny.autoconfigure.SerializationAutoConfiguration",
        afterName = "io.safebunny.jdbc.autoconfigure.JdbcSubjectKeysAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties(EncryptionProperties.class)
final class EncryptionAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(KeyProvider.class)
    @ConditionalOnProperty("safebunny.encryption.keystore.location")
    KeystoreKeys safeBunnyKeystoreKeys(EncryptionProperties properties) {
        EncryptionProperties.Keystore keystore = properties.keystore();
        return new KeystoreKeys(
                Objects.requireNonNull(keystore.location(), "the bean depends on it"),
                keystore.type(),
                Objects.requireNonNullElse(keystore.password(), ""));
    }

    @Bean
    @ConditionalOnBean(KeyProvider.class)
    EncryptingCodec safeBunnyEncryptingCodec(
            KeyProvider keys, EncryptionProperties properties, Timeline timeline, ObjectProvider<Subjects> subjects) {
        return new EncryptingCodec(keys, timeline, properties.acceptClear(), subjects.getIfAvailable());
    }

    @Bean
    @ConditionalOnBean({KeyProvider.class, SubjectKeys.class})
    Subjects safeBunnySubjects(
            KeyProvider keys, SubjectKeys place, EncryptionProperties properties, Timeline timeline) {
        return new Subjects(keys, properties.subjects().key(), place, timeline);
    }
}
