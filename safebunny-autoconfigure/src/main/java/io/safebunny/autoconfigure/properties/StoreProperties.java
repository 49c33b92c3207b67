// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Where handled messages are remembered.
 *
 * @param type Where handled messages are remembered, unless the application defines a MessageStore bean. Not set: in the
 *     database, if safebunny-jdbc is on the class path and there is one DataSource, or in Cosmos DB, if safebunny-cosmos is and
 *     an account or client is configured; otherwise nowhere. None: a message that is delivered twice is handled twice. Memory:
 *     lost on restart and not shared between instances; for tests and demos.
 */
@ConfigurationProperties("safebunny.store")
public record StoreProperties(@Nullable Type type) {

    /** Where handled messages are remembered. */
    public enum Type {
        /** Nowhere: duplicates are handled again. */
        NONE,
        /** In this process. */
        MEMORY,
        /** In the application's database; needs safebunny-jdbc. */
        JDBC,
        /** In Azure Cosmos DB; needs safebunny-cosmos. */
        COSMOS
    }
}
