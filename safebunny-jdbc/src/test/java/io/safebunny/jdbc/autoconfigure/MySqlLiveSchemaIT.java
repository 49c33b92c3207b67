// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.Arguments;

@Tag("once")
class MySqlLiveSchemaIT extends LiveSchemaRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
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
                        "create index live_message on safebunny_message (owner)",
                        "drop index live_message on safebunny_message"),
                Arguments.of(
                        "alter table safebunny_message add column live integer",
                        "alter table safebunny_message drop column live"),
                Arguments.of(
                        "alter table safebunny_step add column live integer",
                        "alter table safebunny_step drop column live"));
    }
}
