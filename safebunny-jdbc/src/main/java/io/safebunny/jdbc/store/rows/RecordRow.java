// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.failure.MisuseException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps records to rows and back. Parameter and column order is that of {@link RecordTable}.
 *
 * @param listed whether the table has the columns of a listing, which come last
 */
record RecordRow(boolean listed) {

    /**
     * The newest stored format that this version reads. Formats differ only in their fingerprints so far, so a format's number is the
     * version of its fingerprints. A row keeps the format it was created with.
     */
    static final int FORMAT = Fingerprint.SECRET;

    private static final int KEY_SIZE = 3;

    /** @return number of the parameter after them */
    int bindInsert(PreparedStatement insert, int first, String node, Write write) throws SQLException {
        bindKey(insert, first, node, write.record().key());
        return bindColumns(insert, first + KEY_SIZE, write);
    }

    /** @return number of the parameter after them */
    int bindUpdate(PreparedStatement update, int first, String node, Write write) throws SQLException {
        int key = bindColumns(update, first, write);
        bindKey(update, key, node, write.record().key());
        // the fence: nothing is updated unless the preceding version is stored
        update.setLong(key + KEY_SIZE, write.record().version() - 1);
        return key + KEY_SIZE + 1;
    }

    static void bindKey(PreparedStatement statement, int first, String node, RecordKey key) throws SQLException {
        statement.setString(first, node);
        statement.setString(first + 1, key.correlationId());
        statement.setString(first + 2, key.messageId());
    }

    /** @return number of the parameter after them */
    private int bindColumns(PreparedStatement statement, int first, Write write) throws SQLException {
        MessageRecord record = write.record();
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
        statement.setString(next++, write.steps());
        statement.setString(next++, write.outgoing());
        return listed ? bindListing(statement, next, record.listing()) : next;
    }

    private static int bindListing(PreparedStatement statement, int first, @Nullable Listing listing)
            throws SQLException {
        int next = first;
        statement.setString(next++, listing == null ? null : listing.kind());
        statement.setString(next++, listing == null ? null : listing.status());
        bindTime(statement, next++, listing == null ? null : listing.createdAt());
        bindTime(statement, next++, listing == null ? null : listing.dueAt());
        return next;
    }

    private static void bindTime(PreparedStatement statement, int parameter, @Nullable Instant time)
            throws SQLException {
        if (time == null) {
            statement.setNull(parameter, Types.BIGINT);
        } else {
            statement.setLong(parameter, time.toEpochMilli());
        }
    }

    /**
     * @param first number of the first column
     * @throws UnreadableRecordException when a newer version of SafeBunny wrote it
     */
    MessageRecord read(RecordKey key, ResultSet row, int first) throws SQLException {
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
        String outgoing = row.getString(next++);
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
                    listed ? readListing(row, next) : null,
                    null);
        } catch (IllegalArgumentException | MisuseException e) {
            throw new UnreadableRecordException(key, "state " + state + ", listing or content", e);
        }
    }

    private static @Nullable Listing readListing(ResultSet row, int first) throws SQLException {
        String kind = row.getString(first);
        String status = row.getString(first + 1);
        Instant createdAt = Instant.ofEpochMilli(row.getLong(first + 2));
        long due = row.getLong(first + 3);
        Instant dueAt = row.wasNull() ? null : Instant.ofEpochMilli(due);
        return kind == null ? null : new Listing(kind, status, createdAt, dueAt);
    }
}
