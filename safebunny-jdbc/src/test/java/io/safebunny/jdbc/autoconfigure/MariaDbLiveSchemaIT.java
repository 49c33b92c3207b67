// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.Arguments;

@Tag("once")
class MariaDbLiveSchemaIT extends LiveSchemaRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }

    @Override
    String locksMessages() {
        return "lock tables safebunny_message read";
    }

    @Override
    String unlocksMessages() {
        return "unlock tables";
    }

    static Stream<Arguments> statements() {
        return Stream.of(
                Arguments.of(
                        "create index if not exists live_message on safebunny_message (owner)",
                        "drop index if exists live_message on safebunny_message"),
                Arguments.of(
                        "alter table safebunny_message add column if not exists live integer",
                        "alter table safebunny_message drop column if exists live"),
                Arguments.of(
                        "alter table safebunny_step add column if not exists live integer",
                        "alter table safebunny_step drop column if exists live"));
    }
}
