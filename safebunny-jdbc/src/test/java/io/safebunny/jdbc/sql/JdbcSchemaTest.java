// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.ConfigurationException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcSchemaTest {

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void theFileItselfIsTheScriptForTheDefaultName(Dialect dialect) throws Exception {
        JdbcSchema schema = JdbcSchema.of(dialect, "safebunny_");
        try (InputStream file = getClass().getClassLoader().getResourceAsStream(schema.location())) {
            assertThat(schema.script())
                    .isEqualTo(new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void aSchemaPrecedesTheTableAndNotItsIndexes(Dialect dialect) {
        String statements = JdbcSchema.of(dialect, "my.sb_").script().replaceAll("--.*", "");
        assertThat(statements)
                .contains("create table if not exists my.sb_message (", "create table if not exists my.sb_companion (")
                .containsPattern("index (if not exists )?sb_message_")
                .doesNotContain("my.sb_message_", "my.sb_companion_", "safebunny");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "x;drop table y", "ä_", "\"q\"", "a-b"})
    void aPrefixThatIsNoNameIsRefused(String prefix) {
        assertThatThrownBy(() -> JdbcSchema.of(Dialect.H2, prefix))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1301 Invalid property [safebunny.store.jdbc.table-prefix=");
    }
}
