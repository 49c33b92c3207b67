// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.store.rows.ExpiredRows;
import io.safebunny.store.StoreUnavailableException;
import java.sql.SQLException;
import java.util.List;

/**
 * Removes expired records in small portions, each in a transaction of its own. Thread-safe.
 *
 * @param tables in the order in which they are searched
 */
record ExpiredRecords(Connections connections, List<ExpiredRows> tables) {

    /**
     * @param limit maximum number of records to remove
     * @return number of records removed
     * @throws StoreUnavailableException when the database does not answer
     */
    int remove(int limit) {
        int removed = 0;
        for (ExpiredRows table : tables) {
            removed += remove(table, limit - removed);
        }
        return removed;
    }

    private int remove(ExpiredRows table, int limit) {
        int removed = 0;
        while (removed < limit) {
            int portion = Math.min(JdbcMessageStore.PORTION, limit - removed);
            int gone = removePortion(table, portion);
            removed += gone;
            if (gone < portion) {
                break;
            }
        }
        return removed;
    }

    private int removePortion(ExpiredRows table, int portion) {
        try {
            return connections.together(connection -> table.delete(connection, portion));
        } catch (SQLException e) {
            throw table.failures().translate("Expired records could not be removed", e);
        }
    }
}
