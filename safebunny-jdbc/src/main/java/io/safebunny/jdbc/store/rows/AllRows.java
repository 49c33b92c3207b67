// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.failure.MisuseException;
import io.safebunny.store.StoredPage;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads all rows of a node, part by part, table by table, in the order of their primary keys. Two statements instead of one, because not each
 * database finds the place of two columns together in an index. Thread-safe.
 */
public final class AllRows {

    /** Rows of one statement: each may have much. */
    private static final int PORTION = 20;
    /** Characters after which a part ends. */
    private static final long MUCH = 4_000_000;

    private final List<Statements> tables;
    private final String node;

    public AllRows(RecordTables tables, String node) {
        this.tables = tables.inLockOrder();
        this.node = node;
    }

    /** The place behind a row; with empty ids, that before the first row of its table. */
    private record Place(int table, String correlationId, String messageId) {

        static Place of(@Nullable String text) {
            if (text == null) {
                return new Place(0, "", "");
            }
            try {
                String[] parts = text.split("\\.", -1);
                return new Place(Integer.parseInt(parts[0]), decoded(parts[1]), decoded(parts[2]));
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                throw new MisuseException(
                        MisuseException.ARGUMENT, "Unknown place in the store: pass what the part before has as next.");
            }
        }

        private static String decoded(String part) {
            return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
        }

        private static String encoded(String id) {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(id.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String toString() {
            return table + "." + encoded(correlationId) + "." + encoded(messageId);
        }
    }

    /** What one part has so far. */
    private static final class Part {
        final List<MessageRecord> rows = new ArrayList<>();
        int unreadable;
        long characters;
        Place place;

        Part(Place place) {
            this.place = place;
        }

        int size() {
            return rows.size() + unreadable;
        }
    }

    public StoredPage<MessageRecord> part(Connection connection, @Nullable String after, int limit)
            throws SQLException {
        Part part = new Part(Place.of(after));
        while (part.place.table < tables.size() && part.size() < limit && part.characters < MUCH) {
            int portion = Math.min(PORTION, limit - part.size());
            if (read(connection, part, portion) < portion) {
                part.place = new Place(part.place.table + 1, "", "");
            }
        }
        return new StoredPage<>(
                part.rows, part.unreadable, part.place.table < tables.size() ? part.place.toString() : null);
    }

    /** @return how many rows were read; fewer than asked for if the table has no more */
    private int read(Connection connection, Part part, int portion) throws SQLException {
        Statements table = tables.get(part.place.table);
        int read = 0;
        if (!part.place.correlationId.isEmpty()) {
            try (PreparedStatement rest =
                    table.prepare(connection, table.table().findAllOfPartition())) {
                rest.setString(1, node);
                rest.setString(2, part.place.correlationId);
                rest.setString(3, part.place.messageId);
                rest.setInt(4, portion);
                read = add(part, table, rest);
            }
        }
        if (read == portion) {
            return read;
        }
        try (PreparedStatement next = table.prepare(connection, table.table().findAllOfPartitions())) {
            next.setString(1, node);
            next.setString(2, part.place.correlationId);
            next.setInt(3, portion - read);
            return read + add(part, table, next);
        }
    }

    private static int add(Part part, Statements table, PreparedStatement query) throws SQLException {
        int read = 0;
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                read++;
                RecordKey key = new RecordKey(rows.getString(1), rows.getString(2));
                part.place = new Place(part.place.table, key.correlationId(), key.messageId());
                try {
                    MessageRecord record = table.row().read(key, rows, 3);
                    part.rows.add(record);
                    part.characters += size(record);
                } catch (UnreadableRecordException e) {
                    part.unreadable++;
                }
            }
        }
        return read;
    }

    private static long size(MessageRecord record) {
        long steps = record.steps().values().stream().mapToLong(String::length).sum();
        return steps
                + record.outgoing().stream()
                        .mapToLong(message -> message.message().body().length)
                        .sum();
    }
}
