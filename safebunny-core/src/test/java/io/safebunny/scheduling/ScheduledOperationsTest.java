// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessage.Status;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.scheduling.ScheduledOperations.Entry;
import io.safebunny.scheduling.ScheduledOperations.Page;
import io.safebunny.scheduling.ScheduledOperations.Query;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators see of scheduled messages, and what becomes of what they do. */
class ScheduledOperationsTest {

    private static final Duration TEN = Duration.ofMinutes(10);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Query ALL = new Query(null, null, null, 100);

    private final Desk desk = new Desk();
    private final SagaWorld world = desk.world;
    private final ScheduledOperations operations = world.engine("desk").get(ScheduledOperations.class);

    private static Instant in(Duration time) {
        return Desk.START.plus(time);
    }

    private String schedule(String order, Duration delay) {
        return Handle.parse(desk.schedule(order, delay), "desk").messageId();
    }

    private String scheduleOnly(String order, Duration delay) {
        return Handle.parse(desk.scheduleOnly(order, delay), "desk").messageId();
    }

    private void isTooLate(String id, String... told) {
        for (Runnable action : new Runnable[] {
            () -> operations.cancel(id, null, "ann", "why"),
            () -> operations.move(id, null, in(HOUR.plus(HOUR)), "ann", "why")
        }) {
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(action::run)
                    .withMessageContainingAll(told)
                    .withMessageContaining("Nothing was changed.")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-5028"));
        }
    }

    @Test
    void tellWhatWaitsWithoutItsBody() {
        String handle = desk.messages()
                .schedule(
                        new PaymentCaptured("secret"),
                        PublishOptions.none().withCorrelationId("order-42").withDelay(TEN));
        world.settle();
        String id = Handle.parse(handle, "desk").messageId();

        Entry entry = operations.page(ALL).messages().get(0);

        assertThat(entry)
                .isEqualTo(
                        new Entry(id, Status.WAITING, in(TEN), null, Desk.START, "PaymentCaptured", "order-42", null));
        assertThat(operations.get(id)).isEqualTo(entry);
        assertThat(entry.toString()).doesNotContain("secret");
    }

    @Test
    void pageByPageEachOnceHoweverManyAreDueAtTheSameMoment() {
        for (int i = 0; i < 120; i++) {
            schedule("order-" + i, i < 80 ? TEN : TEN.plusSeconds(i));
        }
        List<String> ids = new ArrayList<>();
        List<Instant> due = new ArrayList<>();
        int pages = 0;
        String next = null;
        do {
            Page page = operations.page(new Query(null, null, next, 7));
            page.messages().forEach(entry -> {
                ids.add(entry.messageId());
                due.add(entry.deliverAt());
            });
            next = page.next();
            pages++;
        } while (next != null);

        assertThat(ids).hasSize(120);
        assertThat(new HashSet<>(ids)).hasSize(120);
        assertThat(due).isSorted();
        assertThat(pages).isEqualTo(18);
    }

    /** Others are not told of, but read: a page is bounded all the same. */
    @Test
    void readABoundedPartForOnePage() {
        for (int i = 0; i < 1_005; i++) {
            scheduleOnly("order-" + i, TEN.plusMillis(i));
        }
        world.settle();
        desk.store.listed = 0;
        desk.store.lists = 0;

        Page first = operations.page(new Query("Nobody", null, null, 1));
        assertThat(first.messages()).isEmpty();
        assertThat(first.scanned()).isEqualTo(1_000);
        assertThat(first.crowded()).isNull();
        assertThat(desk.store.listed).isLessThan(1_100);
        assertThat(desk.store.lists).isLessThan(30);
        Page second = operations.page(new Query("Nobody", null, first.next(), 100));
        assertThat(second.scanned()).isEqualTo(5);
        assertThat(second.next()).isNull();
    }

    @Test
    void readNoMoreThanAFewMegabytesForOnePage() {
        for (int i = 0; i < 60; i++) {
            scheduleOnly("x".repeat(180 * 1024) + i, TEN.plusMillis(i));
        }
        world.settle();

        Page first = operations.page(ALL);
        assertThat(first.messages()).hasSizeBetween(40, 55);
        assertThat(operations.page(new Query(null, null, first.next(), 100)).messages())
                .hasSize(60 - first.messages().size());
    }

    /** As when everybody is reminded at eight o'clock. */
    @Test
    void leaveOutOfTooManyAtTheSameMomentAndSaySo() {
        for (int i = 0; i < 1_200; i++) {
            scheduleOnly("order-" + i, TEN);
        }
        scheduleOnly("later", HOUR);
        world.settle();
        desk.store.listed = 0;

        Page first = operations.page(ALL);

        assertThat(first.messages()).hasSize(100);
        assertThat(first.crowded()).isEqualTo(in(TEN));
        assertThat(desk.store.listed).isLessThan(2_600);
        HashSet<String> ids = new HashSet<>();
        Page page = first;
        while (page.next() != null) {
            page.messages().forEach(entry -> ids.add(entry.messageId()));
            page = operations.page(new Query(null, null, page.next(), 100));
        }
        page.messages().forEach(entry -> ids.add(entry.messageId()));
        assertThat(ids).hasSize(1_001);
        assertThat(page.messages()).last().extracting(Entry::deliverAt).isEqualTo(in(HOUR));
    }

    @Test
    void leaveOutNoneOfManyThatFollowManyAtTheSameMoment() {
        for (int i = 0; i < 1_070; i++) {
            scheduleOnly("order-" + i, i < 950 ? TEN : TEN.plusMillis(1));
        }
        world.settle();

        HashSet<String> ids = new HashSet<>();
        String next = null;
        do {
            Page page = operations.page(new Query(null, null, next, 100));
            assertThat(page.crowded()).isNull();
            page.messages().forEach(entry -> ids.add(entry.messageId()));
            next = page.next();
        } while (next != null);
        assertThat(ids).hasSize(1_070);
    }

    @Test
    void readNoMoreThanAFewMegabytesOfThoseAtTheSameMoment() {
        for (int i = 0; i < 60; i++) {
            scheduleOnly("x".repeat(180 * 1024) + i, TEN);
        }
        world.settle();
        desk.store.listed = 0;

        Page page = operations.page(ALL);

        assertThat(page.crowded()).isEqualTo(in(TEN));
        assertThat(desk.store.listed).isLessThan(60);
    }

    @Test
    void doNothingToWhatSomebodyElseHasMovedSinceItWasSeen() {
        String id = schedule("42", TEN);
        operations.move(id, in(TEN), in(HOUR), "ann", "the customer asked");

        for (Runnable action : new Runnable[] {
            () -> operations.cancel(id, in(TEN), "bob", "why"),
            () -> operations.move(id, in(TEN), in(Duration.ZERO), "bob", "why")
        }) {
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(action::run)
                    .withMessageContaining("is due at " + in(HOUR) + ", and not when you have seen it")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-5028"));
        }
        assertThat(operations.get(id).deliverAt()).isEqualTo(in(HOUR));
        assertThat(operations.cancel(id, in(HOUR), "bob", "why").status()).isEqualTo(Status.CANCELLED);
    }

    /** As after a crash between the two. */
    @Test
    void runOneNowAlthoughItsAlarmIsLost() {
        String id = schedule("42", HOUR);
        desk.losesAllAlarms = true;
        operations.move(id, null, in(Duration.ZERO), "ann", "why");
        world.settle();
        desk.losesAllAlarms = false;
        assertThat(desk.arrivals).isEmpty();

        world.pass(SagaWorld.LEASE.multipliedBy(4));

        assertThat(desk.arrivalsOf("42")).hasSize(1);
    }

    @Test
    void tellOfOneThatANewerVersionWroteWhatIsKnown() {
        String id = schedule("42", TEN);
        MessageRecord stored = Objects.requireNonNull(desk.store.find(ScheduledDocument.key(id)));
        Map<String, String> newer = new HashMap<>(stored.steps());
        newer.put("format", "9");
        var unused = desk.store.replace(stored.nextContent(stored.state(), "another", stored.listing(), newer));

        assertThat(operations.page(ALL).messages())
                .containsExactly(new Entry(id, Status.WAITING, in(TEN), null, null, null, null, null));
        assertThatExceptionOfType(UnreadableRecordException.class)
                .isThrownBy(() -> operations.cancel(id, null, "ann", "why"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "12", "12:", ":a", "99999999999999999999:a"})
    void refuseAPositionOfNoPage(String after) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> operations.page(new Query(null, null, after, 10)))
                .withMessageContaining("value of next");
    }

    @Test
    void cancel() {
        String id = schedule("42", TEN);

        Entry cancelled = operations.cancel(id, null, "ann", "why");

        assertThat(cancelled.status()).isEqualTo(Status.CANCELLED);
        assertThat(cancelled.endedAt()).isEqualTo(Desk.START);
        world.pass(HOUR);
        assertThat(desk.arrivals).isEmpty();
        assertThat(operations.page(ALL).messages()).isEmpty();
        assertThat(operations.get(id)).isEqualTo(cancelled);
        isTooLate(id, "it was cancelled at " + Desk.START, "another idempotency key");
    }

    /** As after a cancellation by the application. */
    @Test
    void whatIsScheduledWithTheKeyOfACancelledOneStaysCancelled() {
        PublishOptions key = PublishOptions.none().withIdempotencyKey("k").withDelay(TEN);
        String handle = desk.messages().schedule(new PaymentCaptured("42"), key);
        world.settle();
        operations.cancel(Handle.parse(handle, "desk").messageId(), null, "ann", "why");

        String again = desk.messages().schedule(new PaymentCaptured("42"), key);
        world.pass(HOUR);

        assertThat(desk.arrivals).isEmpty();
        assertThat(desk.messages().cancel(again)).isTrue();
        isTooLate(Handle.parse(again, "desk").messageId(), "it was cancelled at " + Desk.START);
    }

    @Test
    void moveAndHaveOneRunNow() {
        String later = schedule("later", TEN);
        String now = schedule("now", TEN);

        assertThat(operations.move(later, null, in(HOUR), "ann", "why").deliverAt())
                .isEqualTo(in(HOUR));
        assertThat(operations.move(now, null, in(Duration.ZERO), "ann", "why").deliverAt())
                .isEqualTo(Desk.START);
        world.settle();

        assertThat(desk.arrivalsOf("now")).containsExactly(Desk.START);
        isTooLate(now, "it was published at " + Desk.START, "GET safebunnystory/" + now);
        world.pass(HOUR.plus(HOUR));
        assertThat(desk.arrivalsOf("later")).containsExactly(in(HOUR));
        isTooLate(later, "it was published at " + in(HOUR));
    }

    @Test
    void moveAndCancelWhatTheApplicationMovedBeforeItWasStored() {
        String handle = desk.scheduleOnly("42", TEN);
        assertThat(desk.messages().move(handle, in(HOUR))).isTrue();
        String id = Handle.parse(handle, "desk").messageId();

        assertThat(operations.move(id, null, in(TEN), "ann", "why").status()).isEqualTo(Status.WAITING);
        assertThat(operations.cancel(id, null, "ann", "why").status()).isEqualTo(Status.CANCELLED);
        world.pass(HOUR.plus(HOUR));

        assertThat(desk.arrivals).isEmpty();
    }

    @Test
    void doNothingToWhatIsNotStored() {
        String id = scheduleOnly("42", TEN);

        for (String unknown : List.of(id, "nobody", "", "a b", "x".repeat(1_000))) {
            for (Runnable action : new Runnable[] {
                () -> operations.cancel(unknown, null, "ann", "why"),
                () -> operations.move(unknown, null, in(HOUR), "ann", "why"),
                () -> operations.get(unknown)
            }) {
                assertThatExceptionOfType(MisuseException.class)
                        .isThrownBy(action::run)
                        .withMessageContaining("has not reached the store yet")
                        .satisfies(e -> assertThat(e.code()).isEqualTo("SB-5013"));
            }
        }
        world.pass(HOUR);
        assertThat(desk.arrivalsOf("42")).containsExactly(in(TEN));
    }

    @Test
    void refuseATimeThatIsTooFarAway() {
        String id = schedule("42", TEN);

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> operations.move(id, null, in(Duration.ofDays(366)), "ann", "why"));
    }

    @Test
    void areAnsweredTrulyWhenAnswersOfTheStoreAreLost() {
        String cancelled = schedule("cancelled", TEN);
        String moved = schedule("moved", TEN);
        desk.store.lostAnswers = 1;
        assertThat(operations.cancel(cancelled, null, "ann", "why").status()).isEqualTo(Status.CANCELLED);
        desk.store.lostAnswers = 1;
        assertThat(operations.move(moved, null, in(HOUR), "ann", "why").deliverAt())
                .isEqualTo(in(HOUR));
        desk.store.isAway = true;
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> operations.cancel(moved, null, "ann", "why"));
        desk.store.isAway = false;
        world.pass(HOUR.plus(HOUR));

        assertThat(desk.arrivals).hasSize(1);
    }

    @Test
    void winOverAPublicationThatHasReadTheMessageBefore() {
        String id = schedule("42", TEN);
        desk.store.before = store -> operations.cancel(id, null, "ann", "why");
        world.pass(HOUR);

        assertThat(desk.arrivals).isEmpty();
        isTooLate(id, "it was cancelled at " + in(TEN));
    }

    /** A version wrote it that did not record when. */
    @Test
    void sayWhatIsKnownOfAnOlderVersionsMessage() {
        String id = schedule("42", TEN);
        var stored = desk.store.find(ScheduledDocument.key(id));
        var unused = desk.store.replace(ScheduledDocument.ended(ScheduledDocument.Status.PUBLISHED, in(TEN), null)
                .write(stored, id, "another"));

        isTooLate(id, "it was published. Nothing");
    }
}
