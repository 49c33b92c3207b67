// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Large bodies in a database.
 *
 * @param enabled Whether bodies may be kept in the application's database, under the store's name "jdbc". All nodes that publish or handle their
 *     messages need the same database.
 * @param timeout How long one statement may take, which writes at most 2 MB. At least 1s.
 */
@ConfigurationProperties("safebunny.claim-check.jdbc")
record JdbcBodyStoreProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("10s") Duration timeout) {

    JdbcBodyStoreProperties {
        InvalidProperty.unlessAtLeast(Duration.ofSeconds(1), "safebunny.claim-check.jdbc.timeout", timeout, "10s");
    }
}
