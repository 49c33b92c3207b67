// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.encryption.SubjectKeys;
import io.safebunny.jdbc.subjects.JdbcSubjectKeys;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;

/** Keys of persons in the application's database, which is not asked before a class with a subject is met. */
@AutoConfiguration(after = JdbcSchemaAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnSingleCandidate(DataSource.class)
@EnableConfigurationProperties(JdbcStoreProperties.class)
final class JdbcSubjectKeysAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(SubjectKeys.class)
    @DependsOnDatabaseInitialization
    JdbcSubjectKeys safeBunnyJdbcSubjectKeys(DataSource dataSource, JdbcStoreProperties properties) {
        return new JdbcSubjectKeys(dataSource, properties.tablePrefix(), properties.timeout());
    }
}
