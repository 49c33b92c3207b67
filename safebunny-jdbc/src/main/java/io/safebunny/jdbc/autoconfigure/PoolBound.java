// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;

/**
 * How many messages may be handled at once, derived from the size of the connection pool that their transactions and steps share.
 */
final class PoolBound {

    private static final Logger LOG = LoggerFactory.getLogger(PoolBound.class);

    /** Data sources of the drivers themselves: they open a new connection for every caller. */
    private static final Set<String> DRIVERS = Set.of(
            "org.h2.jdbcx.JdbcDataSource",
            "org.postgresql.ds.PGSimpleDataSource",
            "org.mariadb.jdbc.MariaDbDataSource",
            "com.mysql.cj.jdbc.MysqlDataSource");

    private PoolBound() {}

    /**
     * Computes the bound and logs it.
     *
     * @param dataSource must have handed out a connection before: a pool may not know its size until then
     * @throws ConfigurationException SB-1408 when the pool has too few connections for a message and its steps
     */
    static int of(DataSource dataSource, List<DataSourcePoolMetadataProvider> providers) {
        DataSourcePoolMetadata pool =
                new CompositeDataSourcePoolMetadataProvider(providers).getDataSourcePoolMetadata(dataSource);
        if (pool != null) {
            Integer most = pool.getMax();
            return most == null || most < 0 ? Integer.MAX_VALUE : of(most);
        }
        if (opensAConnectionForEverybody(dataSource)) {
            return Integer.MAX_VALUE;
        }
        LOG.warn(
                "Messages are handled one after the other: the size of the DataSource's pool is unknown [type={}], and handlers that"
                        + " hold all of its connections would wait forever for the one their steps need. Define a bean of type {} that tells its maximum,"
                        + " or set safebunny.store.jdbc.transactional=false",
                dataSource.getClass().getName(),
                DataSourcePoolMetadataProvider.class.getName());
        return 1;
    }

    private static int of(int connections) {
        int handled = TransactionalJdbcMessageStore.handledAtOnce(connections);
        if (handled == 0) {
            throw new ConfigurationException(
                    "SB-1408",
                    "The connection pool is too small for handling messages in transactions [connections=%s]: the transaction of a message holds one connection until its handler ends, and its context.once needs a second one meanwhile."
                            .formatted(connections),
                    "Set spring.datasource.hikari.maximum-pool-size (or your pool's own setting) to at least 2, better 10, its default: a fifth of the connections, at least one, is reserved for steps, and each message needs one of the others. Or set safebunny.store.jdbc.transactional=false.");
        }
        LOG.info(
                "Messages handled at once: at most {}. Each holds one of the pool's {} connections in its transaction, and {} are reserved for"
                        + " steps and marks. Further delivered messages (safebunny.listener.prefetch of each type) wait their turn. To handle"
                        + " more at once, raise the pool's maximum, such as spring.datasource.hikari.maximum-pool-size",
                handled,
                connections,
                connections - handled);
        return handled;
    }

    private static boolean opensAConnectionForEverybody(DataSource dataSource) {
        try {
            return DRIVERS.contains(dataSource.getClass().getName())
                    || dataSource.isWrapperFor(AbstractDriverBasedDataSource.class);
        } catch (SQLException e) {
            LOG.debug("Could not ask the DataSource whether it is a pool", e);
            return false;
        }
    }
}
