// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.search.Searches;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.OwnConnections;
import io.safebunny.jdbc.sql.SqlWork;
import io.safebunny.jdbc.store.rows.AllRows;
import io.safebunny.jdbc.store.rows.ExpiredRows;
import io.safebunny.jdbc.store.rows.Listings;
import io.safebunny.jdbc.store.rows.RecordTables;
import io.safebunny.jdbc.store.rows.Statements;
import io.safebunny.jdbc.store.rows.Write;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.StoredPage;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps records in three tables of PostgreSQL, MySQL, MariaDB or H2: messages, steps stored apart from their message, and companions shared
 * by a partition. Every operation runs on its own connection and is committed when it returns, whatever transaction the application has
 * open on the thread. Thread-safe, also across instances: all relevant times come from the database's clock.
 *
 * <p>In PostgreSQL concurrent creations share a round trip and a commit, and so do concurrent replacements.
 *
 * <p>Statements are cancelled after {@link JdbcStoreOptions#timeout()}; how long an operation waits for a connection depends on the {@code
 * DataSource}.
 */
public final class JdbcMessageStore implements MessageStore {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcMessageStore.class);

    /** More than one, because the existing record may be removed just before it is read. */
    private static final int CREATE_TRIES = 3;

    /** Maximum number of rows written by one statement or transaction. */
    static final int PORTION = 200;

    private final Connections connections;
    private final RecordTables tables;
    private final Listings listings;
    private final ExpiredRecords expired;
    private final JdbcStoreOptions options;
    /** {@code null} if every write is committed separately. */
    private final @Nullable CombinedWrites combined;

    private final Searches searches;
    private final AllRows all;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Queries the database for its product and checks the tables.
     *
     * @throws ConfigurationException SB-1401 when the database is not supported, SB-1402 when a table is missing
     * @throws StoreUnavailableException when the database does not answer
     */
    public JdbcMessageStore(DataSource dataSource, JdbcStoreOptions options) {
        this(
                new OwnConnections(JdbcSchema.unwrap(dataSource), options.timeout()),
                RecordTables.of(
                        Database.of(JdbcSchema.unwrap(dataSource)),
                        options.node(),
                        options.tablePrefix(),
                        options.timeout()),
                options,
                true);
        tables.require(connections);
    }

    /** @param combines whether concurrent writes may share a transaction */
    private JdbcMessageStore(Connections connections, RecordTables tables, JdbcStoreOptions options, boolean combines) {
        this.connections = connections;
        this.tables = tables;
        this.listings = new Listings(tables.companions(), options.node());
        this.expired = new ExpiredRecords(
                connections,
                tables.inLockOrder().stream()
                        .map(table -> new ExpiredRows(table, options.node(), options.retention()))
                        .toList());
        this.options = options;
        this.combined = combines && tables.dialect() == Dialect.POSTGRESQL
                ? new CombinedWrites(connections, tables.messages(), PORTION)
                : null;
        this.searches = new Searches(connections, tables.messages().failures(), "The store");
        this.all = new AllRows(tables, options.node());
    }

    /** A store for the same records that uses other connections. */
    JdbcMessageStore over(Connections other) {
        return new JdbcMessageStore(other, tables, options, false);
    }

    /** The combined writes for this record; {@code null} if its table's writes are not combined. */
    private @Nullable CombinedWrites combined(RecordKey key) {
        return tables.of(key) == tables.messages() ? combined : null;
    }

    Dialect dialect() {
        return tables.dialect();
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        Write write = Write.of(record, options.maxContentBytes());
        CombinedWrites together = combined(record.key());
        if (together != null && together.create(write)) {
            return record;
        }
        Statements table = tables.of(record.key());
        for (int tries = 0; tries < CREATE_TRIES; tries++) {
            Optional<MessageRecord> stored = written("created", record.key(), connection -> {
                boolean created = table.insert(connection, write);
                return created ? Optional.of(record) : table.find(connection, record.key());
            });
            if (stored.isPresent()) {
                return stored.get();
            }
        }
        throw new StoreUnavailableException(
                "The record of message %s could not be created: other instances keep creating and removing it. SafeBunny retries later; set a longer safebunny.dedup.retention."
                        .formatted(record.key().messageId()),
                null,
                null);
    }

    /** Creates all in one statement, which only PostgreSQL can run: see {@link TransactionalJdbcMessageStore#createAll}. */
    List<MessageRecord> createAll(List<MessageRecord> records) {
        List<Write> writes = records.stream()
                .map(record -> Write.of(record, options.maxContentBytes()))
                .sorted(Write.BY_KEY)
                .toList();
        Set<RecordKey> created = written("created", writes.get(0).record().key(), connection -> tables.messages()
                .insertNew(connection, writes));
        return records.stream().filter(record -> created.contains(record.key())).toList();
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        Write write = Write.of(record, options.maxContentBytes());
        CombinedWrites together = combined(record.key());
        boolean replaced = together == null
                ? isReplaced(write)
                : together.replace(write).orElseGet(() -> isReplaced(write) || isWritten(record));
        return replaced ? record : null;
    }

    /** Checks whether the batch was committed although its response was lost. */
    private boolean isWritten(MessageRecord record) {
        MessageRecord stored = find(record.key());
        return stored != null && stored.isSameWriteAs(record);
    }

    private boolean isReplaced(Write write) {
        RecordKey key = write.record().key();
        return written("replaced", key, connection -> tables.of(key).update(connection, write));
    }

    /** {@inheritDoc} Messages first, then steps and companions, in the order of the keys: see {@link Write#BY_KEY}. */
    @Override
    public void replaceAll(List<MessageRecord> records) {
        List<Write> writes = records.stream()
                .map(record -> Write.of(record, options.maxContentBytes()))
                .sorted(Write.BY_KEY)
                .toList();
        for (Statements table : tables.inLockOrder()) {
            List<Write> here = writes.stream()
                    .filter(write -> tables.of(write.record().key()) == table)
                    .toList();
            for (int from = 0; from < here.size(); from += PORTION) {
                replacePortion(table, here.subList(from, Math.min(here.size(), from + PORTION)));
            }
        }
    }

    private void replacePortion(Statements table, List<Write> portion) {
        try {
            connections.together(connection -> table.updateAll(connection, portion));
        } catch (SQLException e) {
            RecordKey first = portion.get(0).record().key();
            throw table.failures()
                    .translateWriting(
                            "Records could not be replaced [count=%s, first=%s]"
                                    .formatted(portion.size(), first.messageId()),
                            first,
                            e);
        }
    }

    /** {@inheritDoc} Runs in one transaction; existing records are locked in {@link JointWrite#LOCK_ORDER}. */
    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        JointWrite.requireOnePartition(records);
        List<Write> writes = records.stream()
                .sorted(JointWrite.LOCK_ORDER)
                .map(record -> Write.of(record, options.maxContentBytes()))
                .toList();
        try {
            return connections.together(
                    connection -> {
                        Write overtaken = tables.writeTogether(connection, writes);
                        return overtaken == null
                                ? new JointWrite.Written(records)
                                : new JointWrite.Overtaken(overtaken.record().key());
                    },
                    JointWrite.Written.class::isInstance);
        } catch (SQLException e) {
            RecordKey first = records.get(0).key();
            throw tables.of(first)
                    .failures()
                    .translateWriting(
                            "Records could not be written together [count=%s, first=%s]"
                                    .formatted(records.size(), first.messageId()),
                            first,
                            e);
        }
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        Statements table = tables.of(key);
        return read(
                        table,
                        "The record of message %s could not be read".formatted(key.messageId()),
                        connection -> table.find(connection, key))
                .orElse(null);
    }

    /** Locks the record until the transaction ends. For a missing record, some databases lock the gap. */
    @Nullable
    MessageRecord findAndLock(RecordKey key) {
        Statements table = tables.of(key);
        return read(
                        table,
                        "The record of message %s could not be locked".formatted(key.messageId()),
                        connection -> table.findAndLock(connection, key))
                .orElse(null);
    }

    /** {@inheritDoc} Skips records written by a newer version of SafeBunny, because the instances of that version dispatch them. */
    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        return read(
                tables.messages(),
                "The completed records that await dispatch could not be read",
                connection -> tables.messages()
                        .findCompleted(connection, unchangedFor, limit, JdbcMessageStore::leaveToOthers));
    }

    @Override
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        return read(
                tables.companions(),
                "The companions that are due could not be read",
                connection -> listings.findDue(connection, from, until, limit, JdbcMessageStore::leaveToOthers));
    }

    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        return read(
                tables.companions(),
                "The companions could not be listed",
                connection -> listings.findListed(connection, query, JdbcMessageStore::leaveToOthers));
    }

    @Override
    public long countListed(String kind, String status) {
        return read(
                tables.companions(),
                "The companions could not be counted",
                connection -> listings.countListed(connection, kind, status));
    }

    @Override
    public List<DatedRecord> findCorrelated(String correlationId, int limit) {
        List<DatedRecord> found = searches.byCorrelationId(correlationId, connection -> {
            List<DatedRecord> records = new ArrayList<>();
            for (Statements table : List.of(tables.companions(), tables.messages())) {
                table.findCorrelated(connection, correlationId, limit, records, this::skip);
            }
            return records;
        });
        return found.stream().sorted(DatedRecord.SHARED_FIRST).toList();
    }

    /**
     * {@inheritDoc} Reads the keys of all messages of the node. One search runs at a time; another one is refused at once. The time limit is
     * that of the statement: at most {@link JdbcStoreOptions#timeout()}.
     */
    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        return searches.byMessageId(messageId, atMost, connection -> tables.messages()
                .findCorrelationIds(connection, messageId, limit, atMost));
    }

    @Override
    public StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
        return searches.part(connection -> all.part(connection, after, limit));
    }

    /** The statement leaves out what newer versions wrote, so this record was changed by hand, or a version in between wrote it. */
    private void skip(UnreadableRecordException e) {
        if (warned.compareAndSet(false, true)) {
            LOG.warn(
                    "A search left out a record that this version cannot read: {} This is logged once.",
                    e.getMessage());
        }
    }

    private <T> T read(Statements table, String what, SqlWork<T> work) {
        try {
            return connections.once(work);
        } catch (SQLException e) {
            throw table.failures().translate(what, e);
        }
    }

    private static void leaveToOthers(UnreadableRecordException e) {
        LOG.warn("{}", e.getMessage());
    }

    @Override
    public int removeExpired(int limit) {
        return expired.remove(limit);
    }

    /** @param done "created" or "replaced", for the exception text */
    private <T> T written(String done, RecordKey key, SqlWork<T> work) {
        try {
            return connections.once(work);
        } catch (SQLException e) {
            throw tables.of(key)
                    .failures()
                    .translateWriting(
                            "The record of message %s could not be %s".formatted(key.messageId(), done), key, e);
        }
    }
}
