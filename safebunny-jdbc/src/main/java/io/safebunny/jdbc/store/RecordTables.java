// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.TableCheck;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.List;

/**
 * The tables of a store, each for one kind of record.
 *
 * @param steps steps that are stored apart from their message
 * @param companions shared by a partition
 */
record RecordTables(Statements messages, Statements steps, Statements companions) {

    /** Short, because a handler's transaction is open while a step is stored, and others may wait for its locks. */
    private static final Duration LONGEST_WAIT_FOR_STEPS = Duration.ofSeconds(2);

    static RecordTables of(Database database, JdbcStoreOptions options) {
        String prefix = options.tablePrefix();
        Duration timeout = options.timeout();
        Duration shorter = timeout.compareTo(LONGEST_WAIT_FOR_STEPS) < 0 ? timeout : LONGEST_WAIT_FOR_STEPS;
        return new RecordTables(
                new Statements(RecordTable.ofMessages(database, prefix), options.node(), timeout),
                new Statements(RecordTable.ofSteps(database, prefix), options.node(), shorter),
                new Statements(RecordTable.ofCompanions(database, prefix), options.node(), timeout));
    }

    /**
     * @throws ConfigurationException SB-1402 when a table is missing
     * @throws StoreUnavailableException when the database does not answer
     */
    void require(Connections connections) {
        for (Statements table : inLockOrder()) {
            TableCheck.run(table.table().name(), dialect().script(), connections, connection -> {
                table.check(connection);
                return true;
            });
        }
    }

    Statements of(RecordKey key) {
        if (key.isShared()) {
            return companions;
        }
        return key.isApart() ? steps : messages;
    }

    /** In the order in which records of several are locked. */
    List<Statements> inLockOrder() {
        return List.of(messages, steps, companions);
    }

    Dialect dialect() {
        return messages.table().database().dialect();
    }
}
