// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.bodies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.SchemaCreation;
import io.safebunny.test.contract.BodyStoreContract;
import io.safebunny.time.Timeline;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The contract on a database, with tables of its own. */
abstract class BodyStoreRules extends BodyStoreContract {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String PREFIX = "sbbodies_";

    private final VirtualTimeline timeline = new VirtualTimeline();

    abstract TestDatabase database();

    @BeforeEach
    void create() {
        SchemaCreation.run(database().pool(), JdbcSchema.of(database().pool(), PREFIX));
    }

    @Override
    protected BodyStore store(Timeline clock) {
        return new JdbcBodyStore(database().pool(), PREFIX, TIMEOUT, clock);
    }

    private static byte[] body(int length) {
        byte[] body = new byte[length];
        new Random(length).nextBytes(body);
        return body;
    }

    private static BodyReference reference(byte[] body) {
        return new BodyReference("jdbc", UUID.randomUUID().toString(), BodyReference.sha256(body), body.length);
    }

    private static byte[] read(BodyStore store, BodyReference reference) throws Exception {
        try (InputStream stream = Objects.requireNonNull(store.open(reference))) {
            return stream.readAllBytes();
        }
    }

    /** It may be sent before the transaction ends. */
    @Test
    void othersSeeABodyBeforeTheCallersTransactionEnds() throws Exception {
        BodyStore store = store(timeline);
        byte[] body = body(300_000);
        BodyReference reference = reference(body);
        byte[] seen = new TransactionTemplate(
                        new JdbcTransactionManager(database().pool()))
                .execute(status -> {
                    try {
                        store.put(reference, body);
                        status.setRollbackOnly();
                        return read(store(timeline), reference);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });

        assertThat(seen).isEqualTo(body);
        assertThat(read(store, reference)).isEqualTo(body);
    }

    /** Whose length is, and is not, that of whole parts. */
    @Test
    void isReadFromItsParts() throws Exception {
        BodyStore store = store(timeline);
        for (int length : new int[] {262_143, 262_144, 262_145, 2_097_152, 2_097_153, 12_000_000}) {
            byte[] body = body(length);
            BodyReference reference = reference(body);
            store.put(reference, body);

            assertThat(read(store, reference)).as("%s bytes", length).isEqualTo(body);
        }
    }

    @Test
    void aBodyThatIsDeletedWhileItIsReadIsNotTakenForAWholeOne() throws Exception {
        BodyStore store = store(timeline);
        byte[] body = body(1_000_000);
        BodyReference reference = reference(body);
        store.put(reference, body);
        timeline.advance(Duration.ofSeconds(1));

        try (InputStream stream = Objects.requireNonNull(store.open(reference))) {
            assertThat(stream.readNBytes(300_000)).hasSize(300_000);
            assertThat(store.deleteOlderThan(timeline.now(), 100_000)).isPositive();
            assertThatIOException().isThrownBy(stream::readAllBytes).withMessageContaining("deleted");
        }
        assertThat(store.open(reference)).isNull();
        assertThat(new JdbcTemplate(database().pool())
                        .queryForObject(
                                "select count(*) from sbbodies_body_part where body_key = ?",
                                Integer.class,
                                reference.key()))
                .isZero();
    }

    /** What was put again is whole, and stays, whoever deletes old bodies meanwhile. */
    @Test
    void aBodyThatIsPutWhileItIsDeletedIsThereAfterwards() throws Exception {
        byte[] body = body(300_000);
        BodyReference reference = reference(body);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 50; round++) {
                timeline.advance(Duration.ofSeconds(2));
                Instant limit = timeline.now().minusSeconds(1); // older than what is put in this round
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    all.add(threads.submit(() -> {
                        BodyStore putter = store(timeline);
                        putter.put(reference, body);
                        assertThat(read(putter, reference)).isEqualTo(body);
                        return null;
                    }));
                    all.add(threads.submit(() -> store(timeline).deleteOlderThan(limit, 1_000)));
                }
                for (Future<?> each : all) {
                    each.get();
                }
                assertThat(read(store(timeline), reference))
                        .as("round %s", round)
                        .isEqualTo(body);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Twelve parts, of which the second eight at once are not written. */
    @Test
    void aBodyThatCannotBeWrittenWholeIsNotThere() throws Exception {
        byte[] body = body(3_000_000);
        BodyReference reference = reference(body);
        AtomicInteger batches = new AtomicInteger();
        DataSource failing = new SecondBatchFails(database().pool(), batches);

        assertThatExceptionOfType(BodyStoreUnavailableException.class)
                .isThrownBy(() -> new JdbcBodyStore(failing, PREFIX, TIMEOUT, timeline).put(reference, body))
                .withCauseInstanceOf(SQLException.class);

        assertThat(batches).hasValue(2);
        assertThat(store(timeline).open(reference)).isNull();
        store(timeline).put(reference, body);
        assertThat(read(store(timeline), reference)).isEqualTo(body);
    }

    @Test
    void aTableThatIsMissingIsToldWithItsScript() {
        JdbcTemplate sql = new JdbcTemplate(database().pool());
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new JdbcBodyStore(database().pool(), "nowhere_", TIMEOUT, timeline))
                .withMessageContainingAll("SB-1402", "nowhere_body ", "schema-");
        sql.execute("create table half_body (body_key varchar(200), length bigint, put_at bigint)");
        try {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> new JdbcBodyStore(database().pool(), "half_", TIMEOUT, timeline))
                    .withMessageContainingAll("SB-1402", "half_body_part", "schema-");
        } finally {
            sql.execute("drop table half_body");
        }
    }

    /** The database fails after the first eight parts of a body. */
    private static final class SecondBatchFails extends DelegatingDataSource {

        private final AtomicInteger batches;

        SecondBatchFails(DataSource target, AtomicInteger batches) {
            super(target);
            this.batches = batches;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return proxy(Connection.class, super.getConnection());
        }

        private <T> T proxy(Class<T> type, T target) {
            return type.cast(
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                        if (method.getName().equals("executeBatch") && batches.incrementAndGet() == 2) {
                            throw new SQLTransientConnectionException("as the test wants", "08006");
                        }
                        try {
                            Object result = method.invoke(target, arguments);
                            return result instanceof PreparedStatement prepared
                                    ? proxy(PreparedStatement.class, prepared)
                                    : result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }
}
