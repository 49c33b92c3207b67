// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessage;
import io.safebunny.ScheduledMessage.Status;
import io.safebunny.ScheduledMessages;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Messages that wait, and what becomes of them when they are cancelled, moved, or lose their alarm. */
class ScheduledMessagesTest {

    private static final Duration TEN = Duration.ofMinutes(10);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int MANY = 1_000;

    private final Desk desk = new Desk();
    private final SagaWorld world = desk.world;
    private final ScheduledMessages messages = desk.messages();

    private static Instant in(Duration time) {
        return Desk.START.plus(time);
    }

    private static String idOf(String handle) {
        return Handle.parse(handle, "desk").messageId();
    }

    private ScheduledMessage stored(String handle) {
        return messages.find(handle).orElseThrow();
    }

    @Test
    void arrivesOnceWhenItIsDue() {
        String handle = messages.schedule(
                new PaymentCaptured("42"),
                PublishOptions.none()
                        .withCorrelationId("order-42")
                        .withHeader("tenant", "acme")
                        .withDeliverAt(in(TEN)));
        world.settle();
        assertThat(stored(handle).status()).isEqualTo(Status.WAITING);

        world.pass(HOUR);

        assertThat(desk.arrivals).hasSize(1);
        MessageContext context = desk.arrivals.get(0).context();
        assertThat(desk.arrivalsOf("42")).containsExactly(in(TEN));
        assertThat(context.correlationId()).isEqualTo("order-42");
        assertThat(context.headers()).containsEntry("tenant", "acme");
        assertThat(context.causationId()).isNull();
        assertThat(stored(handle)).isEqualTo(new ScheduledMessage(context.messageId(), Status.PUBLISHED, in(TEN)));
        assertThat(desk.own).isEqualTo(2);
    }

    @Test
    void neverArrivesOnceItIsCancelled() {
        String handle = desk.schedule("42", TEN);

        assertThat(messages.cancel(handle)).isTrue();
        assertThat(messages.cancel(handle)).isTrue();
        assertThat(messages.move(handle, in(HOUR))).isFalse();
        world.pass(HOUR);

        assertThat(desk.arrivals).isEmpty();
        assertThat(messages.cancel(handle)).isTrue();
        assertThat(stored(handle).status()).isEqualTo(Status.CANCELLED);
    }

    private List<Double> counted() {
        return List.of("scheduled", "moved", "cancelled", "published", "woken").stream()
                .map(outcome -> world.counted("safebunny.scheduled", "outcome", outcome))
                .toList();
    }

    @Test
    void whatHappensToThemIsCountedOnceEach() {
        assertThat(world.hasCounter("safebunny.scheduled", "outcome", "woken")).isTrue();
        String cancelled = desk.schedule("1", TEN);
        desk.store.lostAnswers = 1;
        assertThat(messages.cancel(cancelled)).isTrue();
        assertThat(messages.cancel(cancelled)).isTrue();
        String moved = desk.schedule("2", TEN);
        assertThat(messages.move(moved, in(HOUR))).isTrue();
        desk.losesAlarms = true;
        String woken = desk.schedule("3", TEN);
        assertThat(counted()).containsExactly(3.0, 1.0, 1.0, 0.0, 0.0);

        world.pass(TEN.plus(SagaWorld.LEASE.multipliedBy(2)));

        assertThat(stored(woken).status()).isEqualTo(Status.PUBLISHED);
        assertThat(counted()).containsExactly(3.0, 1.0, 1.0, 1.0, 1.0);
        assertThat(messages.cancel(woken)).isFalse();
        assertThat(counted()).containsExactly(3.0, 1.0, 1.0, 1.0, 1.0);
    }

    @Test
    void isCancelledEvenBeforeItsNodeHasTakenIt() {
        String handle = desk.scheduleOnly("42", TEN);

        assertThat(messages.cancel(handle)).isTrue();
        world.pass(HOUR);

        assertThat(desk.arrivals).isEmpty();
        assertThat(messages.cancel(handle)).isTrue();
    }

    @Test
    void isTooLateToCancelOrMoveWhenItIsPublished() {
        String handle = desk.schedule("42", TEN);
        world.pass(TEN);

        assertThat(messages.cancel(handle)).isFalse();
        assertThat(messages.move(handle, in(HOUR))).isFalse();
        world.pass(HOUR);

        assertThat(desk.arrivalsOf("42")).hasSize(1);
    }

    @Test
    void isMovedLaterEarlierAndToThePast() {
        String later = desk.schedule("later", TEN);
        String earlier = desk.schedule("earlier", TEN);
        String atOnce = desk.schedule("at once", TEN);
        String early = desk.scheduleOnly("before it is there", TEN);
        assertThat(messages.move(early, in(HOUR))).isTrue();
        assertThat(messages.move(early, in(Duration.ofMinutes(3)))).isTrue();
        world.settle();

        assertThat(messages.move(later, in(HOUR))).isTrue();
        assertThat(messages.move(earlier, in(Duration.ofMinutes(2)))).isTrue();
        assertThat(messages.move(atOnce, Instant.MIN)).isTrue();
        world.pass(HOUR.plus(HOUR));

        assertThat(desk.arrivalsOf("later")).containsExactly(in(HOUR));
        assertThat(desk.arrivalsOf("earlier")).containsExactly(in(Duration.ofMinutes(2)));
        assertThat(desk.arrivalsOf("at once")).containsExactly(Desk.START);
        assertThat(desk.arrivalsOf("before it is there")).containsExactly(in(Duration.ofMinutes(3)));
    }

    @Test
    void isMovedAThousandTimesForTwoAlarms() {
        String handle = desk.schedule("42", TEN);
        for (int i = 0; i < 1_000; i++) {
            assertThat(messages.move(handle, in(TEN.plusMillis(i)))).isTrue();
        }
        world.pass(Duration.ofMinutes(5));
        assertThat(messages.move(handle, in(Duration.ofMinutes(15)))).isTrue();
        world.pass(HOUR);

        assertThat(desk.arrivalsOf("42")).containsExactly(in(Duration.ofMinutes(15)));
        assertThat(desk.own).isEqualTo(1 + 2); // the first brought it to the store
    }

    @Test
    void manyWhoseAlarmsAreAllLostArriveOnceOrNever() {
        desk.losesAlarms = true;
        Map<String, Instant> due = new HashMap<>();
        List<String> cancelled = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            String order = "order-" + i;
            String handle = desk.schedule(order, TEN.plusSeconds(i % 60));
            due.put(order, in(TEN.plusSeconds(i % 60)));
            if (i % 3 == 1) {
                assertThat(messages.cancel(handle)).isTrue();
                cancelled.add(order);
            } else if (i % 3 == 2) {
                Instant moved = in(Duration.ofMinutes(i % 2 == 0 ? 5 : 20));
                assertThat(messages.move(handle, moved)).isTrue();
                due.put(order, moved);
            }
        }
        world.settle();
        desk.losesAlarms = false;

        world.pass(HOUR);

        assertThat(desk.arrivals).hasSize(MANY - cancelled.size());
        due.keySet().removeAll(cancelled);
        due.forEach((order, at) -> assertThat(desk.arrivalsOf(order))
                .singleElement()
                .satisfies(arrived -> assertThat(arrived).isBetween(at, at.plus(SagaWorld.LEASE.multipliedBy(2)))));
    }

    @Test
    void ofAHandlerIsDroppedWithItAndKeptOnce() {
        List<String> handles = new ArrayList<>();
        world.start(
                "till",
                new MemoryMessageStore(world.timeline, Desk.RETENTION),
                List.of(SagaWorld.handler("desk", OrderPlaced.class, (payload, context) -> {})));
        world.stop("desk");
        world.schedules = true;
        int[] runs = new int[1];
        world.start("desk", desk.store, List.of(SagaWorld.handler("till", OrderPlaced.class, (payload, context) -> {
            handles.add(desk.scheduleOnly("42", TEN));
            if (++runs[0] < 3) {
                throw new IllegalStateException("test");
            }
        })));
        world.bunny("till")
                .publish(new OrderPlaced("42", 1), PublishOptions.none().withCorrelationId("order-42"));
        world.pass(HOUR);

        assertThat(runs).containsExactly(3);
        assertThat(handles.stream().map(ScheduledMessagesTest::idOf).distinct()).hasSize(1);
        assertThat(desk.arrivals).hasSize(1);
        MessageContext context = desk.arrivals.get(0).context();
        assertThat(context.correlationId()).isEqualTo("order-42");
        assertThat(context.causationId()).isNotNull();
        assertThat(context.messageId()).isEqualTo(idOf(handles.get(0)));
    }

    @Test
    void isScheduledOncePerKeyAndItsHandlesSayTheSame() {
        PublishOptions key = PublishOptions.none().withIdempotencyKey("k").withDelay(TEN);
        String first = messages.schedule(new PaymentCaptured("42"), key);
        world.pass(Duration.ofMinutes(1));
        String second = messages.schedule(new PaymentCaptured("42"), key);
        world.pass(TEN);
        assertThat(desk.arrivalsOf("42")).containsExactly(in(TEN));

        world.pass(Duration.ofMinutes(1));
        String third = messages.schedule(new PaymentCaptured("42"), key);
        world.pass(TEN.plus(TEN));

        assertThat(desk.arrivalsOf("42")).hasSize(1);
        assertThat(messages.cancel(first)).isFalse();
        assertThat(messages.cancel(second)).isFalse();
        assertThat(messages.cancel(third)).isFalse();
        assertThat(world.poison("desk")).isEmpty();
    }

    @Test
    void isAnsweredTrulyWhenAnswersOfTheStoreAreLost() {
        String cancelled = desk.schedule("cancelled", TEN);
        String early = desk.scheduleOnly("cancelled early", TEN);
        desk.store.lostAnswers = 1;
        assertThat(messages.cancel(early)).isTrue();
        desk.store.lostAnswers = 1;
        assertThat(messages.cancel(cancelled)).isTrue();
        world.settle();
        String moved = desk.schedule("moved", TEN);
        desk.store.lostAnswers = 1;
        assertThat(messages.move(moved, in(Duration.ofMinutes(1)))).isTrue();

        world.pass(HOUR);

        assertThat(desk.arrivals).hasSize(1);
        assertThat(desk.arrivalsOf("moved")).containsExactly(in(Duration.ofMinutes(1)));
    }

    @Test
    void isAnsweredByAnExceptionWhileTheStoreIsAway() {
        String handle = desk.schedule("42", TEN);
        desk.store.isAway = true;
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> messages.cancel(handle));
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> messages.move(handle, in(HOUR)));
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> messages.find(handle));
        desk.store.isAway = false;

        assertThat(messages.cancel(handle)).isTrue();
    }

    @Test
    void isCancelledWhileItsAlarmIsHandled() {
        String handle = desk.schedule("42", TEN);
        List<Boolean> answers = new ArrayList<>();
        desk.store.before = store -> answers.add(messages.cancel(handle));
        world.pass(HOUR);

        assertThat(answers).containsExactly(true);
        assertThat(desk.arrivals).isEmpty();
    }

    @Test
    void isCancelledWhileItIsBroughtToTheStore() {
        String handle = desk.scheduleOnly("42", TEN);
        List<Boolean> answers = new ArrayList<>();
        desk.store.before = store -> answers.add(messages.cancel(handle));
        world.pass(HOUR);

        assertThat(answers).containsExactly(true);
        assertThat(desk.arrivals).isEmpty();
    }

    @Test
    void isForgottenAfterTheRetentionAndThenTooLate() {
        String published = desk.schedule("42", TEN);
        String unknown = desk.schedule("43", TEN);
        assertThat(messages.cancel(unknown)).isTrue();
        world.pass(HOUR);
        world.timeline.advance(Desk.RETENTION.plus(HOUR));
        while (desk.store.removeExpired(100) > 0) {
            world.settle();
        }

        assertThat(messages.find(published)).isEmpty();
        assertThat(messages.cancel(published)).isFalse();
        assertThat(messages.move(published, world.timeline.now())).isFalse();
    }

    @Test
    void whatWasCancelledIsNotPublishedByALateReplayOfWhatShouldHaveBroughtItToTheStore() {
        desk.store.before = store -> {
            throw new RecordRefusedException(ScheduledDocument.key("42"), "test: refused", null);
        };
        String handle = desk.schedule("42", TEN);
        assertThat(world.poison("desk")).hasSize(1);
        assertThat(messages.cancel(handle)).isTrue();
        world.timeline.advance(Desk.RETENTION.plus(HOUR));
        assertThat(desk.store.removeExpired(100)).isPositive();

        var unused = world.engine("desk")
                .get(PoisonMessages.class)
                .replay(PoisonRequest.of(PoisonFilter.all(), "tester", "the store works again"));
        world.pass(HOUR);

        assertThat(desk.arrivals).isEmpty();
        assertThat(world.poison("desk")).hasSize(1);
    }

    @Test
    void alarmsThatCannotBeHandledAreNotMultiplied() {
        desk.losesAlarms = true;
        var unused = desk.schedule("42", TEN);
        int before = desk.own;
        desk.losesAllAlarms = true; // as in a queue that nobody reads
        world.pass(TEN.plus(HOUR));

        assertThat(desk.own - before).isBetween(2, 8);
        desk.losesAllAlarms = false;
        world.pass(HOUR);
        assertThat(desk.arrivalsOf("42")).hasSize(1);
    }

    /** The retries of an alarm take 90 s. */
    @Test
    void anAlarmWhoseRetryIsLostIsSentAgainSoonAfterItsRetriesWouldBeOver() {
        String handle = desk.schedule("42", TEN);
        desk.losesAllAlarms = true;
        String token = Objects.requireNonNull(ScheduledDocument.read(
                                Objects.requireNonNull(desk.store.find(ScheduledDocument.key(idOf(handle)))))
                        .alarm())
                .token();
        MessageRecord handled = MessageRecord.claim(
                new RecordKey(idOf(handle), token), "another", SagaWorld.LEASE, 0, new Fingerprint(1, 0, 0));
        var unused = desk.store.create(handled);
        var unusedRelease = desk.store.replace(handled.next(RecordState.RELEASED));
        world.pass(TEN.plusSeconds(1));
        int before = desk.own;

        world.pass(Duration.ofSeconds(89));
        assertThat(desk.own).as("while it may be retried").isEqualTo(before);
        world.pass(SagaWorld.LEASE.multipliedBy(6));
        assertThat(desk.own).isGreaterThan(before);
    }

    private MessageRecord document(String handle) {
        return Objects.requireNonNull(desk.store.find(ScheduledDocument.key(idOf(handle))));
    }

    private void setAsideAlarm(String handle) {
        String token = Objects.requireNonNull(
                        ScheduledDocument.read(document(handle)).alarm())
                .token();
        MessageRecord claim = MessageRecord.claim(
                new RecordKey(idOf(handle), token), "another", SagaWorld.LEASE, 0, new Fingerprint(1, 0, 0));
        var unused = desk.store.create(claim);
        var unusedPoison = desk.store.replace(claim.next(RecordState.POISONED));
    }

    @Test
    void whoseAlarmWasSetAsideIsRarelyWritten() {
        String handle = desk.schedule("42", TEN);
        setAsideAlarm(handle);
        long before = document(handle).version();
        world.pass(TEN.plus(HOUR.multipliedBy(24)));

        assertThat(document(handle).version() - before).isBetween(10L, 50L);
    }

    @Test
    void whoseAlarmWasSetAsideArrivesWhenItIsMoved() {
        String handle = desk.schedule("42", TEN);
        setAsideAlarm(handle);
        world.pass(HOUR);
        assertThat(desk.arrivals).isEmpty();

        assertThat(messages.move(handle, in(HOUR.plus(TEN)))).isTrue();
        world.pass(HOUR);

        assertThat(desk.arrivalsOf("42")).containsExactly(in(HOUR.plus(TEN)));
    }

    @Test
    void waitsLongerThanOneAlarmCan() {
        desk.schedule("42", Duration.ofDays(100));
        for (int days = 0; days <= 100; days++) {
            world.timeline.advance(Duration.ofDays(1));
            world.settle();
        }

        assertThat(desk.arrivalsOf("42")).containsExactly(in(Duration.ofDays(100)));
        assertThat(desk.own).isEqualTo(1 + 3);
    }
}
