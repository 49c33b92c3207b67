// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.OwnConnections;
import io.safebunny.jdbc.sql.SqlWork;
import io.safebunny.jdbc.sql.TableCheck;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.spi.store.UnreadableRecordException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps records in a table of PostgreSQL, MySQL, MariaDB or H2. Every operation runs on its own connection and is committed when
 * it returns, whatever transaction the application has open on the thread. Thread-safe, also across instances: all times come
 * from the database's clock.
 *
 * <p>In PostgreSQL concurrent creations share a round trip and a commit, and so do concurrent replacements.
 *
 * <p>Statements are cancelled after {@link JdbcStoreOptions#timeout()}; how long an operation waits for a connection is up to the
 * {@code DataSource}.
 */
public final class JdbcMessageStore implements MessageStore {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcMessageStore.class);

    /** More than one, because the existing record may be removed just before it is read. */
    private static final int CREATE_TRIES = 3;

    /** Rows that one statement or transaction writes at most. */
    private static final int PORTION = 200;

    private static final Comparator<MessageRecord> BY_KEY = Comparator.comparing(
                    (MessageRecord record) -> record.key().correlationId())
            .thenComparing(record -> record.key().messageId());

    private final Connections connections;
    private final MessageTable table;
    private final Statements statements;
    private final JdbcStoreOptions options;
    private final Failures failures;
    /** {@code null} where every write is a transaction of its own. */
    private final @Nullable Combiner<Write, Boolean> creations;

    private final @Nullable Combiner<Write, Optional<Boolean>> replacements;

    private record Write(MessageRecord record, Content content) {}

    /**
     * Queries the database: which product it is, and whether the table exists.
     *
     * @throws ConfigurationException SB-1401 when the database is not supported, SB-1402 when the table is missing
     * @throws StoreUnavailableException when the database does not answer
     */
    public JdbcMessageStore(DataSource dataSource, JdbcStoreOptions options) {
        this(
                new OwnConnections(JdbcSchema.unwrap(dataSource), options.timeout()),
                new MessageTable(Database.of(JdbcSchema.unwrap(dataSource)), options.tablePrefix()),
                options,
                true);
        TableCheck.run(table.name(), table.database().dialect().script(), connections, connection -> {
            statements.check(connection);
            return true;
        });
    }

    /** @param combines whether concurrent writes may share a transaction, on databases where that pays */
    private JdbcMessageStore(Connections connections, MessageTable table, JdbcStoreOptions options, boolean combines) {
        this.connections = connections;
        this.table = table;
        this.options = options;
        this.statements = new Statements(table, options.node(), options.timeout());
        this.failures = new Failures(table.name());
        boolean combining = combines && dialect() == Dialect.POSTGRESQL;
        this.creations = combining ? new Combiner<>(PORTION, this::createTogether) : null;
        this.replacements = combining ? new Combiner<>(PORTION, this::replaceTogether) : null;
    }

    /** A store of the same records on other connections. */
    JdbcMessageStore over(Connections other) {
        return new JdbcMessageStore(other, table, options, false);
    }

    Dialect dialect() {
        return table.database().dialect();
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        Content content = Content.of(record, options.maxContentBytes());
        if (creations != null && creations.run(new Write(record, content))) {
            return record;
        }
        for (int tries = 0; tries < CREATE_TRIES; tries++) {
            Optional<MessageRecord> stored = written("created", record.key(), connection -> {
                PacketLimit.require(dialect(), connection, content);
                boolean created = statements.insert(connection, record, content);
                return created ? Optional.of(record) : statements.find(connection, record.key());
            });
            if (stored.isPresent()) {
                return stored.get();
            }
        }
        throw new StoreUnavailableException(
                "The record of message %s could not be created: other instances keep creating and removing it. SafeBunny retries later; make safebunny.dedup.retention longer."
                        .formatted(record.key().messageId()),
                null,
                null);
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        Content content = Content.of(record, options.maxContentBytes());
        Write write = new Write(record, content);
        boolean replaced = replacements == null
                ? isReplaced(write)
                : replacements.run(write).orElseGet(() -> isReplaced(write) || isWritten(record));
        return replaced ? record : null;
    }

    /** The batch may have been committed although its answer was lost. */
    private boolean isWritten(MessageRecord record) {
        MessageRecord stored = find(record.key());
        return stored != null && stored.isSameWriteAs(record);
    }

    private boolean isReplaced(Write write) {
        return written("replaced", write.record.key(), connection -> {
            PacketLimit.require(dialect(), connection, write.content);
            return statements.update(connection, write.record, write.content);
        });
    }

    /**
     * For each write whether it created the record. After a failure all are {@code false}: each caller then tries on its own,
     * which is harmless even if the batch was committed.
     */
    private List<Boolean> createTogether(List<Write> writes) {
        try {
            return inOrderOfKeys(writes, statements::insertAll);
        } catch (SQLException e) {
            LOG.debug("Records could not be created together [count={}]", writes.size(), e);
            return Collections.nCopies(writes.size(), false);
        }
    }

    /**
     * For each write whether it replaced the record; empty after a failure, because one locked row must not fail the others. Each
     * caller then tries on its own, and checks whether the batch was committed after all.
     */
    private List<Optional<Boolean>> replaceTogether(List<Write> writes) {
        try {
            return inOrderOfKeys(writes, statements::updateAll).stream()
                    .map(Optional::of)
                    .toList();
        } catch (SQLException e) {
            LOG.debug("Records could not be replaced together [count={}]", writes.size(), e);
            return Collections.nCopies(writes.size(), Optional.empty());
        }
    }

    @FunctionalInterface
    private interface Batch {
        boolean[] run(Connection connection, List<MessageRecord> records, List<Content> contents) throws SQLException;
    }

    /** Two writers that lock the same rows in different orders deadlock. */
    private List<Boolean> inOrderOfKeys(List<Write> writes, Batch batch) throws SQLException {
        List<Integer> order = IntStream.range(0, writes.size())
                .boxed()
                .sorted(Comparator.comparing(index -> writes.get(index).record, BY_KEY))
                .toList();
        boolean[] done = connections.once(connection -> batch.run(
                connection,
                order.stream().map(index -> writes.get(index).record).toList(),
                order.stream().map(index -> writes.get(index).content).toList()));
        Boolean[] results = new Boolean[done.length];
        for (int i = 0; i < done.length; i++) {
            results[order.get(i)] = done[i];
        }
        return List.of(results);
    }

    /** In the order of the keys: two writers that lock the same rows in different orders deadlock. */
    @Override
    public void replaceAll(List<MessageRecord> records) {
        List<MessageRecord> sorted = records.stream().sorted(BY_KEY).toList();
        List<Content> contents = new ArrayList<>(sorted.size());
        sorted.forEach(record -> contents.add(Content.of(record, options.maxContentBytes())));
        for (int from = 0; from < sorted.size(); from += PORTION) {
            int to = Math.min(sorted.size(), from + PORTION);
            List<MessageRecord> portion = sorted.subList(from, to);
            List<Content> portionContents = contents.subList(from, to);
            replacePortion(portion, portionContents);
        }
    }

    private void replacePortion(List<MessageRecord> portion, List<Content> contents) {
        try {
            connections.together(connection -> statements.updateAll(connection, portion, contents));
        } catch (SQLException e) {
            RecordKey first = portion.get(0).key();
            throw failures.translateWriting(
                    "Records could not be replaced [count=%d, first=%s]".formatted(portion.size(), first.messageId()),
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
                .map(record -> new Write(record, Content.of(record, options.maxContentBytes())))
                .toList();
        try {
            return connections.together(
                    connection -> {
                        for (Write write : writes) {
                            if (!isWritten(connection, write)) {
                                return new JointWrite.Overtaken(write.record.key());
                            }
                        }
                        return new JointWrite.Written(records);
                    },
                    JointWrite.Written.class::isInstance);
        } catch (SQLException e) {
            RecordKey first = records.get(0).key();
            throw failures.translateWriting(
                    "Records could not be written together [count=%d, first=%s]"
                            .formatted(records.size(), first.messageId()),
                    first,
                    e);
        }
    }

    private boolean isWritten(Connection connection, Write write) throws SQLException {
        PacketLimit.require(dialect(), connection, write.content);
        return JointWrite.isCreated(write.record)
                ? statements.insert(connection, write.record, write.content)
                : statements.update(connection, write.record, write.content);
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        try {
            return connections
                    .once(connection -> statements.find(connection, key))
                    .orElse(null);
        } catch (SQLException e) {
            throw failures.translate("The record of message %s could not be read".formatted(key.messageId()), e);
        }
    }

    /** {@inheritDoc} Records written by a newer version of SafeBunny are skipped: its instances dispatch them. */
    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        try {
            return connections.once(connection ->
                    statements.findCompleted(connection, unchangedFor, limit, JdbcMessageStore::leaveToOthers));
        } catch (SQLException e) {
            throw failures.translate("The completed records that await dispatch could not be read", e);
        }
    }

    private static void leaveToOthers(UnreadableRecordException e) {
        LOG.warn("{}", e.getMessage());
    }

    @Override
    public int removeExpired(int limit) {
        int removed = 0;
        while (removed < limit) {
            int portion = Math.min(PORTION, limit - removed);
            int gone = removePortion(portion);
            removed += gone;
            if (gone < portion) {
                break;
            }
        }
        return removed;
    }

    private int removePortion(int portion) {
        String what = "Expired records could not be removed";
        if (dialect() == Dialect.POSTGRESQL) {
            return together(what, connection -> statements.deleteExpired(connection, options.retention(), portion));
        }
        return together(what, connection -> {
            int dispatched = statements.deleteExpired(connection, RecordState.DISPATCHED, options.retention(), portion);
            return dispatched
                    + statements.deleteExpired(
                            connection, RecordState.POISONED, options.retention(), portion - dispatched);
        });
    }

    private int together(String what, SqlWork<Integer> work) {
        try {
            return connections.together(work);
        } catch (SQLException e) {
            throw failures.translate(what, e);
        }
    }

    /** @param done "created" or "replaced", for the exception text */
    private <T> T written(String done, RecordKey key, SqlWork<T> work) {
        try {
            return connections.once(work);
        } catch (SQLException e) {
            throw failures.translateWriting(
                    "The record of message %s could not be %s".formatted(key.messageId(), done), key, e);
        }
    }
}
