// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import io.safebunny.test.BunnyTest;
import io.safebunny.test.database.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@Tag("once")
@BunnyTest(properties = {"safebunny.node=billing", "safebunny.store.jdbc.initialize-schema=always"})
@Import(BillingTest.FakeBank.class)
class BillingOnPostgresIT extends BillingTest {

    private static final PostgresServer POSTGRES = PostgresServer.start(); // ends with the JVM

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        properties.add("spring.datasource.url", POSTGRES::jdbcUrl); // user and password are in it
    }
}
