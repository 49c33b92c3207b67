// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.test.database.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** On a real broker and PostgreSQL. */
class BoundBodiesIT extends BoundBodiesRules {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @Override
    ApplicationContextRunner runner() {
        return node.runner()
                .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class));
    }
}
