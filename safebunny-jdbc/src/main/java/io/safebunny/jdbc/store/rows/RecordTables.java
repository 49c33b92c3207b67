// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.TableCheck;
import io.safebunny.store.JointWrite;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.RecordKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a store, each for one kind of record.
 *
 * @param steps steps that are stored apart from their message
 * @param companions shared by a partition
 */
public record RecordTables(Statements messages, Statements steps, Statements companions) {

    /** Short, because a handler's transaction is open while a step is stored, and others may wait for its locks. */
    private static final Duration LONGEST_WAIT_FOR_STEPS = Duration.ofSeconds(2);

    /**
     * @param node whose records they are
     * @param timeout of one statement
     */
    public static RecordTables of(Database database, String node, String prefix, Duration timeout) {
        Duration shorter = timeout.compareTo(LONGEST_WAIT_FOR_STEPS) < 0 ? timeout : LONGEST_WAIT_FOR_STEPS;
        return new RecordTables(
                new Statements(RecordTable.ofMessages(database, prefix), node, timeout),
                new Statements(RecordTable.ofSteps(database, prefix), node, shorter),
                new Statements(RecordTable.ofCompanions(database, prefix), node, timeout));
    }

    /**
     * @throws ConfigurationException SB-1402 when a table is missing
     * @throws StoreUnavailableException when the database does not answer
     */
    public void require(Connections connections) {
        for (Statements table : inLockOrder()) {
            TableCheck.run(table.table().name(), dialect().script(), connections, connection -> {
                table.check(connection);
                return true;
            });
        }
    }

    public Statements of(RecordKey key) {
        if (key.isShared()) {
            return companions;
        }
        return key.isApart() ? steps : messages;
    }

    /** The tables in the order in which one transaction locks their records. */
    public List<Statements> inLockOrder() {
        return List.of(messages, steps, companions);
    }

    /**
     * Writes all records, in one round trip if the driver allows it. If one cannot be written, the caller must roll back.
     *
     * @param writes in the order in which their rows are locked
     * @return the first record that could not be written; {@code null} if all were
     */
    public @Nullable Write writeTogether(Connection connection, List<Write> writes) throws SQLException {
        if (JointStatement.isAccepted(connection)) {
            return JointStatement.run(this, connection, writes);
        }
        for (Write write : writes) { // before the first statement, so that the transaction can go on after a refusal
            PacketLimit.require(dialect(), connection, write);
        }
        for (Write write : writes) {
            if (!isWritten(connection, write)) {
                return write;
            }
        }
        return null;
    }

    private boolean isWritten(Connection connection, Write write) throws SQLException {
        Statements table = of(write.record().key());
        return JointWrite.isCreated(write.record()) ? table.insert(connection, write) : table.update(connection, write);
    }

    public Dialect dialect() {
        return messages.dialect();
    }
}
