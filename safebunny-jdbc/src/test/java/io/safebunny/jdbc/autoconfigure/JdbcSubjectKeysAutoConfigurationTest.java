// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.jdbc.subjects.JdbcSubjectKeys;
import io.safebunny.test.encryption.MemorySubjectKeys;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class JdbcSubjectKeysAutoConfigurationTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(JdbcSchemaAutoConfiguration.class, JdbcSubjectKeysAutoConfiguration.class));

    private static DataSource database() {
        return new DriverManagerDataSource("jdbc:h2:mem:subjects;DB_CLOSE_DELAY=-1");
    }

    @Test
    void keepsKeysInTheTableOfTheDatabase() {
        application
                .withBean(DataSource.class, JdbcSubjectKeysAutoConfigurationTest::database)
                .withPropertyValues(
                        "safebunny.store.jdbc.initialize-schema=always", "safebunny.store.jdbc.table-prefix=auto_")
                .run(context -> {
                    SubjectKeys keys = context.getBean(SubjectKeys.class);
                    String id = UUID.randomUUID().toString().replace("-", "");
                    SubjectKey fresh = new SubjectKey(id, id, "subjects-1", new byte[] {1}, null);
                    assertThat(keys.addIfAbsent(fresh).id()).isEqualTo(id);
                    assertThat(keys.find(id)).isNotNull();
                });
    }

    @Test
    void leavesItToAPlaceOfTheApplication() {
        application
                .withBean(DataSource.class, JdbcSubjectKeysAutoConfigurationTest::database)
                .withBean(MemorySubjectKeys.class)
                .run(context -> assertThat(context).doesNotHaveBean(JdbcSubjectKeys.class));
    }

    @Test
    void thereIsNoneWithoutADatabase() {
        application.run(context -> assertThat(context).doesNotHaveBean(SubjectKeys.class));
    }
}
