// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.details.Printable;
import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.jdbc.outbox.rows.OutboxTable;
import io.safebunny.jdbc.search.Searches;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.JoinedConnections;
import io.safebunny.jdbc.sql.OwnConnections;
import io.safebunny.jdbc.sql.TableCheck;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.store.Outbox;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.StoredPage;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stores messages published in the application's transactions in a table of the application's database. A message is inserted in the
 * transaction itself, sent from memory right after the commit, and deleted when it is confirmed. A message still unsent after {@link
 * JdbcOutboxOptions#relayAfter()}, because the process or the broker died, is sent by any instance. Nothing is dropped: a message that
 * cannot be sent stays and is retried after the relay interval, which doubles with each failure up to 5 min, but not while the broker is
 * unreachable. Thread-safe.
 *
 * <p><b>At least once.</b> A message is sent again, with the same id, when its confirm or its deletion is lost, or takes longer than {@code
 * relayAfter}. Receivers with a message store handle it once.
 *
 * <p><b>Order.</b> Messages with the same order key, which is the correlation id unless they say otherwise, are sent in the order of their row ids, each after the confirm of the one before.
 * First deliveries are in order, also across threads, instances, crashes and retries; repeats may come late. Ids are assigned on
 * publishing, so the order holds within a transaction, and between a transaction and another that publishes after its commit. Overlapping
 * transactions of one key each keep their own order, but uncommitted messages hold back no others, so the order between the two is
 * undefined. A message that cannot be sent holds back the later ones of its key and no others. Different keys are
 * independent, and so are publications outside a transaction.
 *
 * <p><b>Threads.</b> {@link #add} does one insert on the caller's connection; the caller's commit waits for nothing else. Sending
 * runs on the executor, with connections of the {@code DataSource}, at most three at a time. A search runs on the caller's thread and takes one
 * more.
 *
 * <p><b>Memory.</b> At most 10,000 messages or 32 MiB are held for sending; anything committed beyond that is left to the relay.
 */
public final class JdbcOutbox implements Outbox {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcOutbox.class);

    private static final Duration STOP = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final OutboxContext outbox;
    private final Failures failures;
    private final Searches searches;
    private final Connections joined;
    private final Destinations destinations;
    private final DirectPath direct;
    private final Relay relay;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Queries the database for its product and checks the table.
     *
     * @param blocking runs tasks that wait for the database or the broker; must start each task at once rather than queue it
     * @throws ConfigurationException SB-1401 when the database is not supported, SB-1402 when the table is missing
     * @throws StoreUnavailableException when the database does not answer
     */
    public JdbcOutbox(
            DataSource dataSource,
            JdbcOutboxOptions options,
            Timeline timeline,
            Executor blocking,
            MeterRegistry meterRegistry) {
        this.dataSource = JdbcSchema.unwrap(dataSource);
        OutboxTable table = new OutboxTable(
                Database.of(this.dataSource), options.tablePrefix(), options.node(), timeline, options.timeout());
        this.failures = new Failures(table.name());
        this.joined = new JoinedConnections(this.dataSource);
        Connections own = new OwnConnections(this.dataSource, options.timeout());
        this.searches = new Searches(own, failures, "The outbox");
        TableCheck.run(table.name(), table.script(), own, table::check);
        this.outbox = new OutboxContext(
                options,
                own,
                table,
                timeline,
                blocking,
                new OutboxMetrics(meterRegistry),
                new OutboxLog(timeline, table.name()));
        SentRows sentRows = new SentRows(outbox);
        this.direct = new DirectPath(outbox, sentRows);
        this.destinations = new Destinations(timeline, options.relayInterval());
        this.relay = new Relay(outbox, sentRows, direct, destinations);
    }

    /**
     * {@inheritDoc} A transaction of another {@code DataSource} counts as none, with a warning the first time.
     *
     * @throws InvalidPublicationException when the transaction is read-only, or its manager calls no listeners
     * @throws StoreUnavailableException when the message could not be inserted; the transaction cannot be committed then
     */
    @Override
    public boolean add(OutboundMessage message) {
        // during the cleanup after a transaction, as for event listeners, synchronization is already inactive
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            requireNoneUntold(message);
            return false;
        }
        if (!reachesDatabase(message)) {
            if (warned.compareAndSet(false, true)) {
                LOG.warn(
                        "A message was published in a transaction that does not belong to the outbox's DataSource [transaction={}]: it is sent at once, even if the transaction is rolled back. Use a transaction manager that binds connections of this DataSource, such as JdbcTransactionManager or JpaTransactionManager. This is logged once.",
                        TransactionSynchronizationManager.getCurrentTransactionName());
            }
            return false;
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new InvalidPublicationException(
                    "Message %s cannot be published in a read-only transaction [transaction=%s]: the outbox has to store it. Remove readOnly = true, publish after the transaction, or use publishNow."
                            .formatted(
                                    message.publication().messageId(),
                                    TransactionSynchronizationManager.getCurrentTransactionName()));
        }
        StoredInTransaction stored = storedInTransaction();
        try {
            stored.store(message);
        } catch (SQLException e) {
            throw remembered(stored, storing(message, e));
        } catch (RuntimeException e) {
            throw remembered(stored, e);
        }
        return true;
    }

    /** As of the relay's last pass; counted up to 10,000. */
    @Override
    public @Nullable Backlog waiting() {
        OutboxMetrics.Seen seen = outbox.metrics().seen();
        String problem = relay.problem();
        if (seen == null) {
            return problem == null ? null : new Backlog(0, false, null, false, null, problem, List.of());
        }
        List<String> causes = new ArrayList<>(destinations.causes());
        causes.addAll(relay.causes());
        int rows = seen.counted().rows();
        Duration age = seen.counted().age();
        return new Backlog(
                rows,
                rows == OutboxMetrics.MOST_COUNTED,
                age == null ? null : seen.at().minus(age),
                seen.counted().older(),
                seen.at(),
                problem,
                causes);
    }

    @Override
    public List<Unsent> findCorrelated(String correlationId, int limit) {
        return searches.byCorrelationId(
                correlationId, connection -> outbox.table().findCorrelated(connection, correlationId, limit));
    }

    /**
     * {@inheritDoc} One search runs at a time; another one is refused at once. The time limit is that of the statement: at most {@link
     * JdbcOutboxOptions#timeout()}.
     */
    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        return searches.byMessageId(messageId, atMost, connection -> outbox.table()
                .findCorrelationIds(connection, messageId, limit, atMost));
    }

    @Override
    public StoredPage<OutboundMessage> findAll(@Nullable String after, int limit) {
        return searches.part(connection -> outbox.table().findAll(connection, after, limit));
    }

    private static RuntimeException remembered(StoredInTransaction stored, RuntimeException failure) {
        stored.failed(failure);
        return failure;
    }

    private StoreUnavailableException storing(OutboundMessage message, SQLException e) {
        return failures.translateStoring(
                "Message %s could not be stored in the outbox"
                        .formatted(message.publication().messageId()),
                e);
    }

    /** A bound connection is not enough: it may be bound during another database's transaction without being part of it. */
    private boolean reachesDatabase(OutboundMessage message) {
        if (!TransactionSynchronizationManager.hasResource(dataSource)) {
            return false;
        }
        try {
            return joined.once(JdbcOutbox::isInTransaction);
        } catch (SQLException e) {
            throw storing(message, e);
        }
    }

    private static boolean isInTransaction(Connection connection) throws SQLException {
        return !connection.getAutoCommit();
    }

    /** Refuses a transaction without synchronizations: the message would be sent at once, even if the transaction is rolled back. */
    private void requireNoneUntold(OutboundMessage message) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                && !TransactionSynchronizationManager.isSynchronizationActive()
                && reachesDatabase(message)) {
            throw new InvalidPublicationException(
                    "Message %s cannot be published in a transaction whose end is unknown: its transaction manager has transactionSynchronization=NEVER. Remove that setting, publish after the transaction, or use publishNow."
                            .formatted(message.publication().messageId()));
        }
    }

    private StoredInTransaction storedInTransaction() {
        if (TransactionSynchronizationManager.getResource(this) instanceof StoredInTransaction stored) {
            return stored;
        }
        StoredInTransaction stored = new StoredInTransaction(this, outbox, joined, this::committed);
        TransactionSynchronizationManager.registerSynchronization(stored);
        stored.bind();
        return stored;
    }

    /** With many rows waiting, leaves those for unhealthy destinations to the relay, so that they do not crowd out the others. */
    private void committed(List<OutboxRow> rows) {
        if (direct.held() < outbox.options().batchSize()) {
            direct.add(rows);
            return;
        }
        List<OutboxRow> sendable = new ArrayList<>();
        List<OutboxRow> left = new ArrayList<>();
        rows.forEach(row -> (destinations.mayTry(row.message().route()) ? sendable : left).add(row));
        direct.add(sendable);
        if (!left.isEmpty()) {
            relay.leftToRelay();
            left.forEach(row -> row.ended(PublishOutcome.STORED, null));
        }
    }

    @Override
    public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {
        Function<OutboundMessage, CompletableFuture<Void>> watched = destinations.watching(sender);
        direct.start(watched, relay::leftToRelay);
        relay.start(watched);
    }

    /** {@inheritDoc} Waits for at most 5 s. */
    @Override
    public void stop() {
        try {
            outbox.timeline().await(CompletableFuture.allOf(direct.stop(), relay.stop()), STOP);
        } catch (TimeoutException e) {
            LOG.warn(
                    "Messages of the outbox are still unconfirmed {} s after the stop; they stay stored, and another instance or the next start sends them again",
                    STOP.toSeconds());
        } catch (ExecutionException e) {
            LOG.warn(
                    "The outbox did not stop cleanly; the messages stored in it are sent after the next start",
                    Printable.inLines(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            outbox.log().close();
        }
    }
}
