// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.failure.policy.Ending;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A server of its own accepts statements of one megabyte, and the record has two. */
abstract class PacketLimitRules {

    private static final int TOO_MUCH = 2 * 1024 * 1024;

    private final JdbcStoreOptions options = JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1));

    /** Of the server. */
    abstract String url();

    @BeforeEach
    void limit() {
        try (HikariDataSource admin = pool("")) {
            new JdbcTemplate(admin).execute("set global max_allowed_packet = 1048576");
            TestDatabase.createTable(admin, JdbcStoreOptions.DEFAULT_TABLE_PREFIX);
            new JdbcTemplate(admin).execute("create table if not exists work (id varchar(64))");
        }
    }

    private HikariDataSource pool(String parameters) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url() + parameters);
        config.setMaximumPoolSize(3);
        return new HikariDataSource(config);
    }

    /** Either the driver refuses it, or it sends it and the server closes the connection. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&maxAllowedPacket=67108864"})
    void refusesOnlyTheRecordThatIsTooLarge(String parameters) {
        try (HikariDataSource pool = pool(parameters)) {
            JdbcMessageStore store = new JdbcMessageStore(pool, options);
            MessageRecord claim = store.create(Records.claim(Records.key(), "a"));

            assertThatThrownBy(() -> store.replace(claim.next(RecordState.COMPLETED, List.of(tooMuch()))))
                    .isInstanceOf(RecordRefusedException.class)
                    .hasMessageContaining("max_allowed_packet")
                    .hasMessageContaining(claim.key().messageId());
            assertThat(store.replace(claim.next(RecordState.POISONED))).isNotNull();
        }
    }

    @Test
    void asksForTheRecordWithoutItsTrailWhereThatFits() {
        try (HikariDataSource pool = pool("")) {
            JdbcMessageStore store = new JdbcMessageStore(pool, options);
            MessageRecord claim = store.create(Records.claim(Records.key(), "a"));
            Trail.Failure failure = new Trail.Failure(Instant.EPOCH, "", 1, "Failure", "ä".repeat(200), null);
            MessageRecord full = claim.completed(
                            List.of(Records.message("x".repeat(1_042_000).getBytes(StandardCharsets.UTF_8))))
                    .withTrail(Trail.of("Order").with(Collections.nCopies(5, failure)));

            assertThatThrownBy(() -> store.replace(full)).isInstanceOf(RecordTooLargeException.class);
            assertThat(store.replace(full.withTrail(Trail.NONE))).isNotNull();
        }
    }

    /** Its JSON fits, and its statement does not: drivers send quotes and backslashes twice, and a trail has many. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&maxAllowedPacket=67108864"})
    void asksForTheRecordWithoutItsTrailAlsoWhereItFitsOnlyBeforeItIsQuoted(String parameters) {
        try (HikariDataSource pool = pool(parameters)) {
            JdbcMessageStore store = new JdbcMessageStore(pool, options);
            MessageRecord claim = store.create(Records.claim(Records.key(), "a"));
            Trail.Failure failure = new Trail.Failure(Instant.EPOCH, "", 1, "Failure", "ä".repeat(60), null);
            int empty = RecordJson.writeOutgoing(List.of(Records.message(new byte[0])))
                    .length();
            byte[] body = "x".repeat(1_048_576 - 3_000 - empty).getBytes(StandardCharsets.UTF_8);
            MessageRecord full = claim.completed(List.of(Records.message(body)))
                    .withTrail(Trail.of("Order").with(Collections.nCopies(5, failure)));

            assertThatThrownBy(() -> store.replace(full)).isInstanceOf(RecordTooLargeException.class);
            assertThat(store.replace(full.withTrail(Trail.NONE))).isNotNull();
        }
    }

    @Test
    void setsTheMessageAsideAndRollsItsTransactionBack() {
        try (HikariDataSource pool = pool("");
                SystemTimeline timeline = new SystemTimeline("test")) {
            TransactionalJdbcMessageStore store = Instances.store(pool, options);
            JdbcTemplate sql = new JdbcTemplate(pool);
            Envelope message = Instances.message();

            assertThatExceptionOfType(InvalidMessageException.class)
                    .isThrownBy(() -> Instances.deliver(
                            Instances.over(store, timeline, 20),
                            new Handling(new CurrentHandling(), message),
                            failure -> Ending.poisoned(PoisonReason.NOT_STORABLE, failure),
                            execution -> {
                                sql.update("insert into work values (?)", message.id());
                                String unused = execution.once("download", String.class, () -> "x".repeat(TOO_MUCH));
                            }))
                    .withMessageContaining("The step has been run")
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(PoisonReason.NOT_STORABLE));
            assertThat(sql.queryForObject("select count(*) from work", Integer.class))
                    .isZero();
            assertThat(Objects.requireNonNull(store.find(new RecordKey(message.correlationId(), message.id())))
                            .state())
                    .isEqualTo(RecordState.POISONED);
        }
    }

    private static OutboundMessage tooMuch() {
        return Records.message("x".repeat(TOO_MUCH).getBytes(StandardCharsets.UTF_8));
    }
}
