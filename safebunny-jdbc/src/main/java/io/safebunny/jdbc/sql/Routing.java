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
 * Detects a {@code DataSource}, however it is wrapped, whose connections lead elsewhere: one that chooses among databases, by tenant for
 * example, or hands out the connection of the open transaction.
 */
final class Routing {

    private static final Logger LOG = LoggerFactory.getLogger(Routing.class);

    private Routing() {}

    /**
     * If connections lead to several databases, records and stored messages would be written to one and read from another. If they are
     * those of the open transaction, SafeBunny's separate commits would commit the application's unfinished work. A transaction-aware proxy
     * on the outside is harmless, because it is unwrapped.
     *
     * @throws ConfigurationException SB-1416 when it chooses among databases, SB-1117 when a proxy within it binds connections to
     *     transactions
     */
    static void requireNone(DataSource dataSource) {
        if (wraps(dataSource, AbstractRoutingDataSource.class)) {
            throw new ConfigurationException(
                    "SB-1416",
                    "The DataSource chooses among databases [type=%s, AbstractRoutingDataSource]: records written for one tenant, or on one thread, would be read from another's database, so messages would be handled twice or never sent."
                            .formatted(dataSource.getClass().getName()),
                    "Mark a DataSource of a single database @Primary; for a read-only replica use LazyConnectionDataSourceProxy.setReadOnlyDataSource instead. Or set safebunny.store.type=none and safebunny.outbox.enabled=false, and define a MessageStore bean: new JdbcMessageStore(thatDataSource, options).");
        }
        if (wraps(JdbcSchema.unwrap(dataSource), TransactionAwareDataSourceProxy.class)) {
            throw new ConfigurationException(
                    "SB-1117",
                    "The DataSource wraps a TransactionAwareDataSourceProxy [type=%s]: SafeBunny's own commits would run on the connection of the application's transaction, and commit it halfway."
                            .formatted(dataSource.getClass().getName()),
                    "Use new TransactionAwareDataSourceProxy(theOther) as the outermost wrapper, or remove that proxy: JdbcTemplate, JdbcClient and JPA do not need it.");
        }
    }

    /** Spring's proxies and wrappers and most pools delegate {@code isWrapperFor} to what they wrap. */
    private static boolean wraps(DataSource dataSource, Class<? extends DataSource> type) {
        try {
            return type.isInstance(dataSource) || dataSource.isWrapperFor(type);
        } catch (SQLException | RuntimeException e) {
            LOG.debug("The DataSource does not tell what it wraps", e);
            return false;
        }
    }
}
