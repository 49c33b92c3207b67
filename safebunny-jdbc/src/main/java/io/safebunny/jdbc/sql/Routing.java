// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.ConfigurationException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Tells a {@code DataSource}, however it is wrapped, from which statements would go elsewhere: it chooses among databases, by tenant for
 * example, or hands out the connection of whatever transaction is open.
 */
final class Routing {

    private static final Logger LOG = LoggerFactory.getLogger(Routing.class);

    private Routing() {}

    /**
     * Records and stored messages would be written to one database and looked for in another; or what is to be written for good, on a
     * connection of its own, would be written on the application's, and commit what that may roll back. As the outermost proxy, the one
     * that binds connections is taken off.
     *
     * @throws ConfigurationException SB-1416 when it chooses among databases, SB-1117 when a proxy within it binds connections to
     *     transactions
     */
    static void requireNone(DataSource dataSource) {
        if (wraps(dataSource, AbstractRoutingDataSource.class)) {
            throw new ConfigurationException(
                    "SB-1416",
                    "The DataSource chooses among databases [type=%s, AbstractRoutingDataSource]: what is written for one tenant, or on one thread, would be looked for in another's database, so messages would be handled twice or never sent."
                            .formatted(dataSource.getClass().getName()),
                    "Mark a DataSource of a single database @Primary; for a read-only replica use LazyConnectionDataSourceProxy.setReadOnlyDataSource instead. Or set safebunny.store.type=none and safebunny.outbox.enabled=false, and define a MessageStore bean: new JdbcMessageStore(thatDataSource, options).");
        }
        if (wraps(JdbcSchema.unwrap(dataSource), TransactionAwareDataSourceProxy.class)) {
            throw new ConfigurationException(
                    "SB-1117",
                    "The DataSource wraps a TransactionAwareDataSourceProxy [type=%s]: records of SafeBunny's own would be written on the connection of the application's transaction, and commit it halfway."
                            .formatted(dataSource.getClass().getName()),
                    "Wrap the other way round, new TransactionAwareDataSourceProxy(theOther), or leave that proxy away: JdbcTemplate, JdbcClient and JPA do not need it.");
        }
    }

    /** Spring's proxies and wrappers, and most pools, pass the question on to what they wrap. */
    private static boolean wraps(DataSource dataSource, Class<? extends DataSource> type) {
        try {
            return type.isInstance(dataSource) || dataSource.isWrapperFor(type);
        } catch (SQLException | RuntimeException e) {
            LOG.debug("Could not ask the DataSource what it wraps", e);
            return false;
        }
    }
}
