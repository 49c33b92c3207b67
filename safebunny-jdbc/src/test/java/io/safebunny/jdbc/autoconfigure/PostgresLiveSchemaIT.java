// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.Arguments;

@Tag("once")
class PostgresLiveSchemaIT extends LiveSchemaRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Override
    String locksMessages() {
        return "lock table safebunny_message in share mode";
    }

    @Override
    String unlocksMessages() {
        return "select 1";
    }

    static Stream<Arguments> statements() {
        return Stream.of(
                Arguments.of(
                        "create index if not exists safebunny_message_completed on safebunny_message (node, changed_at) where state = 'COMPLETED'",
                        "create index if not exists safebunny_step_ended on safebunny_step (node, changed_at)"),
                Arguments.of(
                        "create index concurrently if not exists live_message on safebunny_message (owner)",
                        "drop index if exists live_message"),
                Arguments.of(
                        "alter table safebunny_message add column if not exists live integer",
                        "alter table safebunny_message drop column if exists live"),
                Arguments.of(
                        "alter table safebunny_step add column if not exists live integer",
                        "alter table safebunny_step drop column if exists live"));
    }
}
