// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.ConfigurationException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Tells a {@code DataSource} that chooses among databases, by tenant for example, however it is wrapped. */
final class Routing {

    private static final Logger LOG = LoggerFactory.getLogger(Routing.class);

    private Routing() {}

    /**
     * Records and stored messages would be written to one database and looked for in another.
     *
     * @throws ConfigurationException SB-1416 when it is one
     */
    static void requireNone(DataSource dataSource) {
        if (routes(dataSource)) {
            throw new ConfigurationException(
                    "SB-1416",
                    "The DataSource chooses among databases [type=%s, AbstractRoutingDataSource]: what is written for one tenant, or on one thread, would be looked for in another's database, so messages would be handled twice or never sent."
                            .formatted(dataSource.getClass().getName()),
                    "Mark a DataSource of a single database @Primary; for a read-only replica use LazyConnectionDataSourceProxy.setReadOnlyDataSource instead. Or set safebunny.store.type=none and safebunny.outbox.enabled=false, and define a MessageStore bean: new JdbcMessageStore(thatDataSource, options).");
        }
    }

    /** Spring's proxies and wrappers, and most pools, pass the question on to what they wrap. */
    private static boolean routes(DataSource dataSource) {
        try {
            return dataSource instanceof AbstractRoutingDataSource
                    || dataSource.isWrapperFor(AbstractRoutingDataSource.class);
        } catch (SQLException | RuntimeException e) {
            LOG.debug("Could not ask the DataSource whether it chooses among others", e);
            return false;
        }
    }
}
