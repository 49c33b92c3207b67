// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.Outbox;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;

/** Messages left unsent after their commit are sent later, once and in order, whatever else fails. */
@Timeout(120)
abstract class OutboxRelayRules {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String node = TestDatabase.newNode();
    private final ScheduledThreadPoolExecutor slow = new ScheduledThreadPoolExecutor(2);
    private final List<OutboxUnderTest> instances = new ArrayList<>();

    abstract TestDatabase database();

    private OutboxUnderTest instance(RecordingSender sender) {
        OutboxUnderTest instance = new OutboxUnderTest(
                instances.isEmpty() ? database().pool() : database().anotherPool(), node, sender, options -> options);
        instances.add(instance);
        return instance;
    }

    /** Confirms after so many milliseconds. */
    private Executor after(int millis) {
        return answer -> {
            var unused = slow.schedule(answer, millis, TimeUnit.MILLISECONDS);
        };
    }

    @AfterEach
    void close() {
        instances.forEach(OutboxUnderTest::close);
        slow.shutdownNow();
        new JdbcTemplate(database().pool()).update("delete from safebunny_outbox where node = ?", node);
    }

    private static String correlation(int i) {
        return "c" + i % 20;
    }

    @Test
    void whatACrashLeftBehindIsSentByTheNextInstance() {
        OutboxUnderTest crashed = instance(new RecordingSender().silent()).started();
        crashed.publishAndCommit("c", "1", "2");
        crashed.publishAndCommit("d", "3");
        Awaitility.await().until(() -> crashed.sender.ids().size() == 2);
        // the second waits for the confirm of the first
        assertThat(crashed.sender.ids()).containsExactlyInAnyOrder("1", "3");
        crashed.close();
        assertThat(crashed.stored()).containsExactly("1", "2", "3");
        crashed.makeDue();

        OutboxUnderTest next = instance(new RecordingSender()).started();
        Awaitility.await().atMost(PATIENCE).until(() -> next.stored().isEmpty());
        assertThat(next.sender.ids()).containsExactlyInAnyOrder("1", "2", "3");
        assertThat(next.sender.firstOf("c")).containsExactly("1", "2");
        assertThat(next.sender.messages().get(0))
                .usingRecursiveComparison()
                .isEqualTo(OutboxUnderTest.message("c", "1"));
        assertThat(next.count("relayed")).isEqualTo(3);
    }

    @Test
    void saysHowManyWaitSinceWhenAndForWhat() {
        RecordingSender sender = new RecordingSender();
        sender.refuse("shop.Ping");
        OutboxUnderTest storing = instance(sender);
        assertThat(storing.outbox.waiting()).isNull();
        assertThat(storing.outbox.backlog()).isEmpty();
        Instant before = storing.timeline.now().minusMillis(5); // two clocks are read for it
        storing.publishAndCommit("c", "1", "2");
        Instant after = storing.timeline.now().plusMillis(1_000);
        storing.publishAndCommit("d", "3");
        storing.transaction.executeWithoutResult(status -> {
            storing.publish("d", "not.committed");
            storing.started();
            Awaitility.await().atMost(PATIENCE).until(() -> waiting(storing).messages() == 3);
            status.setRollbackOnly();
        });

        Outbox.Backlog waiting = waiting(storing);
        assertThat(waiting.oldest()).isBetween(before, after);
        assertThat(waiting.more()).isFalse();
        assertThat(waiting.problem()).isNull();
        assertThat(storing.outbox.backlog()).hasValue(3);
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(
                        waiting(storing).causes())
                .singleElement()
                .asString()
                .contains("shop.Ping: fails with java.lang.IllegalStateException"));

        sender.acceptAll();
        storing.makeDue();
        Awaitility.await().atMost(PATIENCE).until(() -> waiting(storing).messages() == 0);
        assertThat(waiting(storing).oldest()).isNull();
        assertThat(waiting(storing).causes()).isEmpty();
        storing.outbox.stop();
        assertThat(waiting(storing).problem()).contains("The relay is stopped");
    }

    private static Outbox.Backlog waiting(OutboxUnderTest instance) {
        Outbox.Backlog waiting = instance.outbox.waiting();
        return waiting == null ? new Outbox.Backlog(-1, false, null, false, null, null, List.of()) : waiting;
    }

    @Test
    void whatWaitsIsFoundByItsIds() {
        OutboxUnderTest storing = instance(new RecordingSender());
        Instant before = storing.databaseTime();
        storing.publishAndCommit("c", "2", "1");
        storing.publishAndCommit("C", "1");
        storing.publishAndCommit("d", "3");
        storing.publishAndCommit("", "4");
        storing.transaction.executeWithoutResult(status -> {
            storing.publish("c", "rolled.back");
            status.setRollbackOnly();
        });
        Instant after = storing.databaseTime();

        List<Outbox.Unsent> found = storing.outbox.findCorrelated("c", 10);
        assertThat(found).extracting(Outbox.Unsent::messageId).containsExactly("2", "1");
        assertThat(found).allSatisfy(unsent -> {
            assertThat(unsent.type()).isEqualTo("Ping");
            assertThat(unsent.attempts()).isZero();
            assertThat(unsent.storedAt()).isBetween(before.truncatedTo(ChronoUnit.MILLIS), after.plusMillis(1));
            assertThat(Duration.between(unsent.storedAt(), unsent.dueAt()))
                    .isBetween(Duration.ofMillis(9_990), Duration.ofSeconds(11));
        });
        assertThat(storing.outbox.findCorrelated("c", 1))
                .extracting(Outbox.Unsent::messageId)
                .containsExactly("2");
        assertThat(storing.outbox.findCorrelationIds("1", 10, PATIENCE)).containsExactlyInAnyOrder("C", "c");
        assertThat(storing.outbox.findCorrelationIds("1", 1, PATIENCE)).hasSize(1);
        assertThat(storing.outbox.findCorrelationIds("rolled.back", 10, PATIENCE))
                .isEmpty();
        assertThat(storing.outbox.findCorrelationIds("4", 10, PATIENCE))
                .as("of a message without a correlation id")
                .isEmpty();
        for (String none : List.of("", " ", "c ", "é", "a\0b")) {
            assertThat(storing.outbox.findCorrelated(none, 10)).isEmpty();
            assertThat(storing.outbox.findCorrelationIds(none, 10, PATIENCE)).isEmpty();
        }
        OutboxUnderTest otherNode = new OutboxUnderTest(
                database().pool(), TestDatabase.newNode(), new RecordingSender(), options -> options);
        assertThat(otherNode.outbox.findCorrelated("c", 10)).isEmpty();
        assertThat(otherNode.outbox.findCorrelationIds("1", 10, PATIENCE)).isEmpty();
        otherNode.close();
        storing.sql.update("update safebunny_outbox set message = 'of the future' where node = ?", storing.node);
        assertThat(storing.outbox.findCorrelated("c", 10))
                .extracting(Outbox.Unsent::type)
                .containsExactly(null, null);
    }

    @Test
    void whatIsYoungIsLeftToTheInstanceThatStoredIt() {
        OutboxUnderTest storing = instance(new RecordingSender().silent()).started();
        OutboxUnderTest other = instance(new RecordingSender()).started();
        storing.publishAndCommit("c", "1");
        Awaitility.await()
                .during(Duration.ofMillis(500))
                .until(() -> other.sender.messages().isEmpty());
        assertThat(storing.sender.ids()).containsExactly("1");
    }

    /** Rows become due in virtual time, though a database keeps a time of its own. */
    @Test
    void rowsAreDueByTheTimelineThatIsAheadOfTheDatabase() {
        Duration week = Duration.ofDays(7);
        OutboxUnderTest storing = instance(new RecordingSender().silent()).aheadBy(week);
        storing.publishAndCommit("c", "1");
        storing.close();

        OutboxUnderTest next = instance(new RecordingSender()).aheadBy(week).started();
        Awaitility.await()
                .during(Duration.ofMillis(500))
                .until(() -> next.sender.messages().isEmpty());
        next.aheadBy(week.plusSeconds(11));
        Awaitility.await().atMost(PATIENCE).until(() -> next.stored().isEmpty());
        assertThat(next.sender.ids()).containsExactly("1");
    }

    @Test
    void twoRelaysSendEachMessageOnceAndInOrder() {
        OutboxUnderTest storing = instance(new RecordingSender());
        int messages = 2_000;
        for (int from = 0; from < messages; from += 100) {
            int begin = from;
            storing.transaction.executeWithoutResult(status -> {
                for (int i = begin; i < begin + 100; i++) {
                    storing.publish(correlation(i), "m" + i);
                }
            });
        }
        storing.makeDue();

        RecordingSender both = new RecordingSender(after(2));
        OutboxUnderTest one = instance(both).started();
        OutboxUnderTest two = instance(both).started();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> one.stored()
                .isEmpty());

        assertThat(both.ids()).hasSize(messages).doesNotHaveDuplicates();
        for (int c = 0; c < 20; c++) {
            List<String> expected = new ArrayList<>();
            for (int i = c; i < messages; i += 20) {
                expected.add("m" + i);
            }
            assertThat(both.firstOf(correlation(c))).isEqualTo(expected);
        }
        assertThat(one.count("relayed") + two.count("relayed")).isEqualTo(messages);
    }

    @Test
    void aCorrelationThatIsRefusedHoldsBackItselfOnlyAndKeepsItsOrder() {
        OutboxUnderTest instance = instance(new RecordingSender()).started();
        instance.sender.refuse("bad");
        instance.publishAndCommit("bad", "b1", "b2");
        instance.publishAndCommit("good", "g1");
        // a message made due while in flight may be sent by both, which this test does not care about
        Awaitility.await().atMost(PATIENCE).until(() -> !instance.stored().contains("g1"));
        instance.publishAndCommit("bad", "b3");
        instance.makeDue();
        Awaitility.await().atMost(PATIENCE).until(() -> instance.count("failed") >= 3);
        for (int i = 0; i < 20; i++) {
            instance.publishAndCommit("good" + i, "more" + i);
        }
        Awaitility.await().atMost(PATIENCE).until(() -> instance.stored().equals(List.of("b1", "b2", "b3")));
        assertThat(instance.sender.ids()).hasSize(21).noneMatch(id -> id.startsWith("b"));

        instance.sender.acceptAll();
        instance.publishAndCommit("bad", "b4");
        instance.makeDue();
        Awaitility.await().atMost(PATIENCE).until(() -> instance.stored().isEmpty());
        assertThat(instance.sender.firstOf("bad")).containsExactly("b1", "b2", "b3", "b4");
    }

    /** Each with a correlation of its own. */
    @Test
    void aMessageThatIsRefusedHoldsBackThoseOfItsOrderKeyOnly() {
        OutboxUnderTest instance = instance(new RecordingSender()).started();
        instance.sender.refuse("a1");
        instance.transaction.executeWithoutResult(status -> {
            instance.publish(withKey("k", "a", "a1"));
            instance.publish(withKey("k", "b", "b1"));
            instance.publish(withKey("other", "a", "a2"));
        });
        Awaitility.await().atMost(PATIENCE).until(() -> instance.stored().equals(List.of("a1", "b1")));
        instance.makeDue();
        Awaitility.await().atMost(PATIENCE).until(() -> instance.count("failed") >= 2);
        assertThat(instance.sender.ids()).containsExactly("a2");

        instance.sender.acceptAll();
        instance.makeDue();
        Awaitility.await().atMost(PATIENCE).until(() -> instance.stored().isEmpty());
        assertThat(instance.sender.ids().stream().distinct()).containsExactly("a2", "a1", "b1");
    }

    private static OutboundMessage withKey(String key, String correlationId, String id) {
        OutboundMessage message = OutboxUnderTest.message(correlationId, id);
        return message.withMessage(message.message().withHeaders(Map.of("sb-order-key", key)));
    }

    @Test
    void whatIsDueWaitsForAnEarlierOneOfItsCorrelationThatIsPutOff() {
        OutboxUnderTest instance = instance(new RecordingSender()).started();
        instance.sender.refuse("first");
        instance.publishAndCommit("c", "first");
        instance.makeDue();
        // the back-off is 800 ms or more by then
        Awaitility.await().atMost(PATIENCE).until(() -> instance.count("failed") >= 5);
        instance.publishAndCommit("c", "second");
        instance.sql.update(
                "update safebunny_outbox set due_at = created_at where node = ? and message_id = 'second'", node);
        Awaitility.await()
                .during(Duration.ofMillis(600))
                .until(() -> instance.sender.messages().isEmpty());

        instance.sender.acceptAll();
        instance.makeDue();
        Awaitility.await().atMost(PATIENCE).until(() -> instance.stored().isEmpty());
        assertThat(instance.sender.firstOf("c")).containsExactly("first", "second");
    }

    @Test
    void whatIsCommittedWaitsForAnEarlierOneOfItsCorrelationThatAnotherInstanceHas() {
        OutboxUnderTest first = instance(new RecordingSender().silent()).started();
        first.publishAndCommit("c", "1");
        Awaitility.await().until(() -> first.sender.ids().equals(List.of("1")));

        OutboxUnderTest second = instance(new RecordingSender()).started();
        second.publishAndCommit("c", "2");
        second.publishAndCommit("d", "3");
        Awaitility.await().atMost(PATIENCE).until(() -> second.sender.ids().equals(List.of("3")));
        Awaitility.await()
                .during(Duration.ofMillis(300))
                .until(() -> second.sender.ids().equals(List.of("3")));

        first.close();
        first.makeDue();
        Awaitility.await().atMost(PATIENCE).until(() -> second.stored().isEmpty());
        assertThat(second.sender.firstOf("c")).containsExactly("1", "2");
    }

    @Test
    void whatDoesNotFitIntoMemoryIsRelayed() {
        OutboxUnderTest instance = new OutboxUnderTest(
                database().pool(),
                node,
                new RecordingSender(),
                options -> options.withRelay(Duration.ofMillis(100), Duration.ofMillis(500)));
        instances.add(instance);
        int messages = Lanes.MOST_HELD + 300;
        instance.transaction.executeWithoutResult(status -> {
            for (int i = 0; i < messages; i++) {
                instance.publish("c" + i % 100, "m" + i);
            }
        });
        instance.started();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> instance.stored()
                .isEmpty());
        assertThat(instance.sender.ids()).contains("m0", "m" + (messages - 1));
        assertThat(instance.sender.ids().stream().distinct()).hasSize(messages);
        assertThat(instance.count("relayed")).isPositive();
    }

    @Test
    void aMessageThatCannotBeReadStaysAndHoldsBackItsCorrelationOnly() {
        OutboxUnderTest instance = instance(new RecordingSender());
        instance.publishAndCommit("c", "0", "1", "2");
        instance.publishAndCommit("d", "3");
        instance.sql.update(
                "update safebunny_outbox set message = '[{\"newer\":1}]' where node = ? and message_id = '1'", node);
        instance.close();
        instance.makeDue();
        OutboxUnderTest next = instance(new RecordingSender()).started();
        Awaitility.await().atMost(PATIENCE).until(() -> next.stored().equals(List.of("1", "2")));
        Awaitility.await().atMost(PATIENCE).until(() -> next.count("failed") >= 2);
        assertThat(next.sender.ids()).containsExactlyInAnyOrder("0", "3");
    }

    @Test
    void stoppingWaitsForWhatIsOnItsWayAndKeepsTheRest() {
        RecordingSender sender = new RecordingSender(after(100));
        OutboxUnderTest instance = instance(sender).started();
        List<String> all = new ArrayList<>();
        instance.transaction.executeWithoutResult(status -> {
            for (int i = 0; i < 200; i++) {
                instance.publish(correlation(i), "m" + i);
                all.add("m" + i);
            }
        });
        Awaitility.await().until(() -> sender.ids().size() >= 20);
        instance.outbox.stop();
        List<String> sent = sender.ids();
        List<String> left = instance.stored();
        assertThat(sent).doesNotHaveDuplicates().doesNotContainAnyElementsOf(left);
        List<String> together = new ArrayList<>(sent);
        together.addAll(left);
        assertThat(together).containsExactlyInAnyOrderElementsOf(all);
        instance.publishAndCommit("c", "after the end");
        assertThat(instance.stored()).contains("after the end");

        instance.makeDue();
        OutboxUnderTest next = instance(new RecordingSender()).started();
        Awaitility.await().atMost(PATIENCE).until(() -> next.stored().isEmpty());
        assertThat(next.sender.ids()).hasSize(left.size() + 1).contains("after the end");
    }

    @Test
    void nodesThatShareATableDoNotSendEachOthersMessages() {
        OutboxUnderTest ours = instance(new RecordingSender());
        ours.publishAndCommit("c", "1");
        ours.makeDue();
        try (OutboxUnderTest others = OutboxUnderTest.on(database().pool()).started()) {
            others.publishAndCommit("c", "2");
            Awaitility.await().until(() -> others.stored().isEmpty());
            assertThat(others.sender.ids()).containsExactly("2");
        }
        assertThat(ours.stored()).containsExactly("1");
    }
}
