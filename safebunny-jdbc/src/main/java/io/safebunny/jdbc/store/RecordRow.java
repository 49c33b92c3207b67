// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordJson;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.UnreadableRecordException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Maps records to rows and back. Parameter and column order is that of {@link MessageTable}. */
final class RecordRow {

    /**
     * The newest stored format that this version reads. Its number is the fingerprint's version, the only difference between
     * formats so far, and a row keeps the format it was created with.
     */
    static final int FORMAT = Fingerprint.SHA256;

    private static final int KEY_SIZE = 3;
    private static final int COLUMNS = 11;

    private RecordRow() {}

    static void bindInsert(PreparedStatement insert, String node, MessageRecord record, Content content)
            throws SQLException {
        bindKey(insert, 1, node, record.key());
        bindColumns(insert, KEY_SIZE + 1, record, content);
    }

    static void bindUpdate(PreparedStatement update, String node, MessageRecord record, Content content)
            throws SQLException {
        bindColumns(update, 1, record, content);
        bindKey(update, COLUMNS + 1, node, record.key());
        // the fence: updates nothing unless the preceding version is stored
        update.setLong(COLUMNS + KEY_SIZE + 1, record.version() - 1);
    }

    static void bindKey(PreparedStatement statement, int first, String node, RecordKey key) throws SQLException {
        statement.setString(first, node);
        statement.setString(first + 1, key.correlationId());
        statement.setString(first + 2, key.messageId());
    }

    private static void bindColumns(PreparedStatement statement, int first, MessageRecord record, Content content)
            throws SQLException {
        int next = first;
        statement.setString(next++, record.state().name());
        statement.setString(next++, record.owner());
        statement.setLong(next++, record.version());
        statement.setInt(next++, record.attempt());
        statement.setInt(next++, record.takeovers());
        statement.setLong(next++, record.lease().toMillis());
        statement.setLong(next++, record.fingerprint().high());
        statement.setLong(next++, record.fingerprint().low());
        statement.setInt(next++, record.fingerprint().version());
        statement.setString(next++, content.steps());
        statement.setString(next, content.outgoing());
    }

    /**
     * @param first number of the first column
     * @throws UnreadableRecordException when a newer version of SafeBunny wrote it
     */
    static MessageRecord read(RecordKey key, ResultSet row, int first) throws SQLException {
        int next = first;
        String state = row.getString(next++);
        String owner = row.getString(next++);
        long version = row.getLong(next++);
        int attempt = row.getInt(next++);
        int takeovers = row.getInt(next++);
        Duration lease = Duration.ofMillis(row.getLong(next++));
        long high = row.getLong(next++);
        long low = row.getLong(next++);
        int format = row.getInt(next++);
        String steps = row.getString(next++);
        String outgoing = row.getString(next);
        if (format > FORMAT) {
            throw new UnreadableRecordException(key, "format " + format, null);
        }
        try {
            return new MessageRecord(
                    key,
                    RecordState.valueOf(state),
                    owner,
                    version,
                    attempt,
                    takeovers,
                    lease,
                    new Fingerprint(format, high, low),
                    steps == null ? Map.of() : RecordJson.readSteps(steps),
                    outgoing == null ? List.of() : RecordJson.readOutgoing(outgoing),
                    null);
        } catch (IllegalArgumentException e) {
            throw new UnreadableRecordException(key, "state " + state + " or content", e);
        }
    }
}
