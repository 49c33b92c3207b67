// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.outbox.rows.OutboxTable;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.TablePrefix;
import io.safebunny.middleware.PublishOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;

/** Thousands of rows that nobody can deliver, and a hundred behind them that somebody can. */
@Timeout(180)
abstract class OutboxStarvationRules {

    private static final int MANY = 5_000;
    private static final int FEW = 100;
    /** Of one correlation, whose messages are sent one by one. */
    private static final int LONG = 2_000;

    private static final Duration SOON = Duration.ofSeconds(60);

    final String node = TestDatabase.newNode();
    private final List<OutboxUnderTest> instances = new ArrayList<>();

    abstract TestDatabase database();

    /** The query's plan, as far as it is text. */
    abstract String plan(String sql, Object... values);

    private OutboxUnderTest instance() {
        OutboxUnderTest instance = new OutboxUnderTest(
                database().pool(),
                node,
                new RecordingSender(),
                options -> options.withRelay(Duration.ofMillis(200), Duration.ofSeconds(10)));
        instances.add(instance);
        return instance;
    }

    @AfterEach
    void close() {
        instances.forEach(OutboxUnderTest::close);
        new JdbcTemplate(database().pool()).update("delete from safebunny_outbox where node = ?", node);
    }

    /** What a process left behind that is gone. */
    private OutboxUnderTest leave(Runnable... publishing) {
        OutboxUnderTest gone = instance();
        for (Runnable one : publishing) {
            gone.transaction.executeWithoutResult(status -> one.run());
        }
        gone.close();
        gone.makeDue();
        return gone;
    }

    /** The messages are {@code bad0} and so on, each of a correlation of its own. */
    private Runnable bad(String type) {
        return () -> IntStream.range(0, MANY).forEach(i -> publish(type, type + i, "bad-" + type + i));
    }

    private void good() {
        IntStream.range(0, FEW).forEach(i -> publish("Good", "good" + i, "good" + i));
    }

    private void publish(String type, String correlationId, String id) {
        instances.get(0).publish(OutboxUnderTest.message(type, correlationId, id));
    }

    private static List<String> goodOf(RecordingSender sender) {
        return sender.ids().stream().filter(id -> id.startsWith("good")).toList();
    }

    private static void awaitGood(OutboxUnderTest instance) {
        await().atMost(SOON)
                .until(() -> goodOf(instance.sender).stream().distinct().count() == FEW);
    }

    private int attempts() {
        Integer sum = new JdbcTemplate(database().pool())
                .queryForObject(
                        "select coalesce(sum(attempts), 0) from safebunny_outbox where node = ?", Integer.class, node);
        return sum == null ? 0 : sum;
    }

    @Test
    void whatIsDueIsFoundByTheIndexes() {
        leave(bad("Bad"), this::good);
        OutboxTable table = new OutboxTable(
                Database.of(database().pool()),
                TablePrefix.DEFAULT,
                node,
                instances.get(0).timeline,
                Duration.ofSeconds(5));

        assertThat(plan(table.lockFirst(), node, 0, 200).toLowerCase(Locale.ROOT))
                .contains("safebunny_outbox_due", "safebunny_outbox_correlation")
                .doesNotContain("filesort", "hash", "seq scan", "tablescan");
    }

    @Test
    void aDestinationThatDoesNotConfirmHoldsUpNoOther() {
        leave(bad("Bad"), this::good);
        OutboxUnderTest next = instance();
        next.sender.leaveUnanswered("shop.Bad");
        next.started();

        awaitGood(next);
        assertThat(next.stored()).hasSizeGreaterThanOrEqualTo(MANY);
        assertThat(attempts()).isZero();
    }

    @Test
    void severalDestinationsThatDoNotConfirmHoldUpNoOther() {
        leave(bad("Bad"), bad("Worse"), this::good);
        OutboxUnderTest next = instance();
        next.sender.leaveUnanswered("shop.Bad");
        next.sender.leaveUnanswered("shop.Worse");
        next.started();

        awaitGood(next);
    }

    @Test
    void aDestinationThatRefusesHoldsUpNoOtherAndWhatWasNotTriedCountsNoAttempt() {
        leave(bad("Bad"), this::good);
        OutboxUnderTest next = instance();
        next.sender.refuse("shop.Bad");
        next.started();

        awaitGood(next);
        await().atMost(SOON).until(() -> next.stored().size() == MANY);
        next.outbox.stop();
        assertThat(attempts()).isPositive().isLessThan(MANY);
    }

    @Test
    void longCorrelationsThatAreNotConfirmedHoldUpNoOther() {
        leave(() -> IntStream.range(0, MANY).forEach(i -> publish("Bad", "long" + i % 5, "bad" + i)), this::good);
        OutboxUnderTest next = instance();
        next.sender.leaveUnanswered("shop.Bad");
        next.started();

        awaitGood(next);
    }

    @Test
    void aCorrelationWhoseFirstMessageIsRefusedHoldsUpNoOther() {
        leave(
                () -> publish("Bad", "long", "first"),
                () -> IntStream.range(1, LONG).forEach(i -> publish("Fine", "long", "later" + i)),
                this::good);
        OutboxUnderTest next = instance();
        next.sender.refuse("first");
        next.started();

        awaitGood(next);
        assertThat(next.sender.ids()).noneMatch(id -> id.startsWith("later"));
        next.sender.acceptAll();
        next.makeDue();
        await().atMost(Duration.ofSeconds(60)).until(() -> next.stored().isEmpty());
        List<String> expected = new ArrayList<>(List.of("first"));
        IntStream.range(1, LONG).forEach(i -> expected.add("later" + i));
        assertThat(next.sender.firstOf("long")).isEqualTo(expected);
    }

    /** The process itself sends the correlation, right after its commit, and has no answer. */
    @Test
    void aCorrelationThatIsBeingSentHoldsUpNoOther() {
        OutboxUnderTest instance = instance();
        instance.sender.leaveUnanswered("shop.Bad");
        instance.started();
        instance.transaction.executeWithoutResult(
                status -> IntStream.range(0, 1_000).forEach(i -> publish("Bad", "long", "bad" + i)));
        await().atMost(SOON).until(() -> instance.sender.ids().contains("bad0"));
        OutboxUnderTest gone = instance();
        gone.transaction.executeWithoutResult(status -> IntStream.range(0, FEW)
                .forEach(i -> gone.publish(OutboxUnderTest.message("Good", "good" + i, "good" + i))));
        gone.close();
        gone.makeDue();

        awaitGood(instance);
    }

    /** The relay sends it, and nobody here hears of that. Rows that were sent and are not confirmed have no outcome yet. */
    @Test
    void whatIsLeftToTheRelayIsToldAsStored() {
        OutboxUnderTest instance = instance();
        instance.sender.leaveUnanswered("shop.Bad");
        instance.started();
        instance.transaction.executeWithoutResult(status -> bad("Bad").run());
        Queue<PublishOutcome> told = new ConcurrentLinkedQueue<>();
        AtomicInteger published = new AtomicInteger();

        await().atMost(SOON).until(() -> {
            // more than the destination gets in one interval
            instance.transaction.executeWithoutResult(status -> IntStream.range(0, 3 * Destinations.FEW)
                    .mapToObj(i -> "told" + published.incrementAndGet())
                    .forEach(id -> instance.publish(OutboxUnderTest.message("Bad", id, id)
                            .watchedBy((outcome, failure) -> told.add(outcome)))));
            return !told.isEmpty();
        });
        assertThat(told).containsOnly(PublishOutcome.STORED);
    }

    @Test
    void rowsThatSomebodyHasLockedHoldUpNoOther() throws Exception {
        leave(bad("Bad"), this::good);
        try (Connection somebody = database().anotherPool().getConnection()) {
            somebody.setTransactionIsolation(
                    Connection.TRANSACTION_READ_COMMITTED); // locks what it updates, and nothing else
            somebody.setAutoCommit(false);
            try (var update = somebody.prepareStatement(
                    "update safebunny_outbox set attempts = 7 where node = ? and message_id like 'bad%'")) {
                update.setString(1, node);
                assertThat(update.executeUpdate()).isEqualTo(MANY);
            }
            OutboxUnderTest next = instance().started();
            awaitGood(next);
            somebody.rollback();
            somebody.setAutoCommit(true);
        }
    }

    @Test
    void whatWasPutOffIsSentOnceItsDestinationAnswersAndInOrder() {
        leave(
                () -> IntStream.range(0, 1_000).forEach(i -> {
                    publish("Bad", "c" + i, "a" + i);
                    publish("Good", "c" + i, "b" + i);
                    publish("Bad", "c" + i, "c" + i);
                }),
                this::good);
        OutboxUnderTest next = instance();
        next.sender.leaveUnanswered("shop.Bad");
        next.started();
        awaitGood(next);
        assertThat(next.sender.ids()).noneMatch(id -> id.startsWith("b"));

        next.sender.acceptAll();
        await().atMost(Duration.ofSeconds(60)).until(() -> next.stored().isEmpty());
        for (int i = 0; i < 1_000; i++) {
            assertThat(next.sender.firstOf("c" + i)).containsExactly("a" + i, "b" + i, "c" + i);
        }
        assertThat(next.sender.ids()).doesNotHaveDuplicates();
    }
}
