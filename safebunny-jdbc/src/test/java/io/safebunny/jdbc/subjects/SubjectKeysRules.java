// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.subjects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.SchemaCreation;
import io.safebunny.test.contract.SubjectKeysContract;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** The contract on a database, with a table of its own. */
abstract class SubjectKeysRules extends SubjectKeysContract {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final String PREFIX = "sbkeys_";

    abstract TestDatabase database();

    @BeforeEach
    void create() {
        SchemaCreation.run(database().pool(), JdbcSchema.of(database().pool(), PREFIX));
    }

    @Override
    protected SubjectKeys keys() {
        return new JdbcSubjectKeys(database().pool(), PREFIX, TIMEOUT);
    }

    @Test
    void ofAKeyThatIsErasedNoColumnHasTheBytes() {
        String id = UUID.randomUUID().toString().replace("-", "");
        String person = id + id;
        SubjectKey key = keys().addIfAbsent(new SubjectKey(id, person, "subjects-1", new byte[] {1, 2}, null));
        boolean unused = keys().erase(person, Instant.EPOCH);

        List<Map<String, Object>> rows = new JdbcTemplate(database().pool())
                .queryForList("select * from " + PREFIX + "subject_key where id = ?", key.id());
        assertThat(rows).singleElement().satisfies(row -> {
            assertThat(row.get("sealed")).isNull();
            assertThat(row.get("subject")).isNull();
        });
    }

    @Test
    void aTableThatIsMissingIsToldWithItsScript() {
        SubjectKeys nowhere = new JdbcSubjectKeys(database().pool(), "nowhere_", TIMEOUT);

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> nowhere.find("secret"))
                .withMessageContainingAll("SB-1402", "nowhere_subject_key");
    }
}
