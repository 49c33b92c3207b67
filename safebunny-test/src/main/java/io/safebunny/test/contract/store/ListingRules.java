// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.assertSame;
import static io.safebunny.test.contract.store.StoreBench.key;
import static io.safebunny.test.contract.store.StoreBench.keys;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Companions are found by their listing. Results may be slightly stale, so the rules wait for them. Times are the caller's and deliberately
 * far from the store's clock.
 */
interface ListingRules {

    Instant START = Instant.parse("2031-03-04T05:06:07Z");

    StoreBench bench();

    // ---- what is kept

    @Test
    default void keepsListings() {
        MessageRecord first = companion(new Listing("io.shop.Order_Saga$2-b", "RUNNING", START.plusMillis(1), null));
        MessageRecord created = bench().store().create(first);
        bench().assertStored(first);
        MessageRecord armed = nextContent(
                created, new Listing("io.shop.Order_Saga$2-b", "STUCK", START.plusMillis(1), START.plusMillis(999)));
        MessageRecord ended = bench().replaced(armed).next(RecordState.DISPATCHED);
        bench().assertStored(armed);
        MessageRecord longest = nextContent(
                bench().replaced(ended),
                new Listing("K".repeat(Listing.LONGEST_KIND), "S".repeat(Listing.LONGEST_STATUS), START, null));
        assertThat(ended.listing()).isEqualTo(armed.listing());
        bench().assertStored(ended);
        bench().replaced(longest);
        bench().assertStored(longest);
    }

    @Test
    default void keepsListingsOfJointWrites() {
        MessageRecord message = bench().created();
        RecordKey key = RecordKey.companion(message.key().correlationId(), "saga");
        MessageRecord saga =
                MessageRecord.companion(key, "first", new Listing("A", "RUNNING", START, START), Map.of("saga", "{}"));

        MessageRecord created = bench().writtenTogether(List.of(message.next(RecordState.CLAIMED), saga))
                .get(1);
        bench().assertStored(saga);
        MessageRecord next = nextContent(created, new Listing("A", "STUCK", START, START.plusSeconds(1)));
        bench().writtenTogether(List.of(next));
        bench().assertStored(next);
    }

    @Test
    default void findsNothingThatIsNotListedAnyMore() {
        MessageRecord listed = create(bench().store(), new Listing("A", "RUNNING", START, START));

        MessageRecord unlisted = bench().replaced(nextContent(listed, null));

        bench().assertStored(unlisted);
        awaitDue(START, List.of());
        awaitListed(new ListingQuery("A", "RUNNING", null, null, 10), List.of());
        awaitCount(0, "A", "RUNNING");
    }

    // ---- what is due

    @Test
    default void findsWhatIsDueAndNothingElse() {
        MessageRecord now = due(START);
        due(START.plusMillis(1));
        MessageRecord longAgo = due(START.minus(Duration.ofDays(4_000)));
        create(bench().store(), new Listing("A", "RUNNING", START.minusSeconds(60), null));
        bench().created(RecordState.COMPLETED);

        awaitDue(START, List.of(now, longAgo));
    }

    @Test
    default void findsTheEarliestDueFirstAndNoMoreThanTheLimit() {
        MessageRecord third = due(START.plusSeconds(3));
        MessageRecord first = due(START.plusSeconds(1));
        MessageRecord fourth = due(START.plusSeconds(10));
        MessageRecord second = due(START.plusSeconds(2));
        List<MessageRecord> inOrder = List.of(first, second, third, fourth);

        bench().await()
                .untilAsserted(() -> assertThat(keys(bench().store().findDue(Instant.EPOCH, START.plusSeconds(20), 10)))
                        .containsExactlyElementsOf(keys(inOrder)));
        assertThat(keys(bench().store().findDue(Instant.EPOCH, START.plusSeconds(20), 3)))
                .containsExactlyElementsOf(keys(inOrder.subList(0, 3)));
    }

    @Test
    default void findsWhatIsDueFromAMomentOn() {
        due(START.minusMillis(1));
        MessageRecord then = due(START);
        MessageRecord later = due(START.plusSeconds(1));

        bench().await().untilAsserted(() -> assertThat(keys(bench().store().findDue(START, START.plusSeconds(60), 10)))
                .containsExactlyInAnyOrderElementsOf(keys(List.of(then, later))));
    }

    @Test
    default void findsWhatIsDueOfItsNodeOnly() {
        create(bench().otherNode(), new Listing("A", "RUNNING", START, START));
        MessageRecord here = due(START);

        awaitDue(START, List.of(here));
    }

    @Test
    default void findsWhatIsDueWithItsContent() {
        MessageRecord due = due(START);

        awaitDue(START, List.of(due));
        MessageRecord found = bench().store().findDue(Instant.EPOCH, START, 10).get(0);
        assertSame(found, due);
        MessageRecord moved = nextContent(found, new Listing("A", "RUNNING", START, START.plusSeconds(60)));
        bench().replaced(moved);
        bench().assertStored(moved);
        awaitDue(START, List.of());
    }

    // ---- what is listed

    @Test
    default void findsWhatIsListedByKindAndStatus() {
        MessageRecord running = create(bench().store(), new Listing("Order", "RUNNING", START, null));
        MessageRecord stuck = create(bench().store(), new Listing("Order", "STUCK", START.plusSeconds(1), START));
        MessageRecord longer = create(bench().store(), new Listing("OrderSaga", "STUCK", START.plusSeconds(2), null));
        MessageRecord lower = create(bench().store(), new Listing("order", "RUNNING", START.plusSeconds(3), START));

        awaitListed(new ListingQuery("Order", "RUNNING", null, null, 10), List.of(running));
        awaitListed(new ListingQuery("Order", "STUCK", null, null, 10), List.of(stuck));
        awaitListed(new ListingQuery("OrderSaga", "STUCK", null, null, 10), List.of(longer));
        awaitListed(new ListingQuery("order", "RUNNING", null, null, 10), List.of(lower));
        awaitListed(new ListingQuery("OrderSaga", "RUNNING", null, null, 10), List.of());
        assertSame(
                bench().store()
                        .findListed(new ListingQuery("Order", "STUCK", null, null, 10))
                        .get(0),
                stuck);
    }

    @Test
    default void findsWhatIsListedSinceBefore() {
        MessageRecord old = create(bench().store(), new Listing("A", "RUNNING", START.minusMillis(1), null));
        MessageRecord young = create(bench().store(), new Listing("A", "RUNNING", START, null));

        awaitListed(new ListingQuery("A", "RUNNING", null, START, 10), List.of(old));
        awaitListed(new ListingQuery("A", "RUNNING", null, START.plusNanos(1), 10), List.of(old, young));
    }

    @Test
    default void findsWhatIsListedFromAMomentOn() {
        create(bench().store(), new Listing("A", "RUNNING", START.minusMillis(1), null));
        MessageRecord then = create(bench().store(), new Listing("A", "RUNNING", START, null));
        MessageRecord later = create(bench().store(), new Listing("A", "RUNNING", START.plusMillis(1), null));

        awaitListed(new ListingQuery("A", "RUNNING", START, null, 10), List.of(then, later));
    }

    @Test
    default void findsTheOldestListedFirstAndNoMoreThanTheLimit() {
        List<MessageRecord> oldestFirst = new ArrayList<>();
        for (int seconds : new int[] {3, 1, 10, 2}) {
            oldestFirst.add(create(bench().store(), new Listing("A", "RUNNING", START.plusSeconds(seconds), null)));
        }
        oldestFirst.sort((a, b) -> createdAt(a).compareTo(createdAt(b)));

        bench().await().untilAsserted(() -> assertThat(
                        keys(bench().store().findListed(new ListingQuery("A", "RUNNING", null, null, 10))))
                .containsExactlyElementsOf(keys(oldestFirst)));
        assertThat(keys(bench().store().findListed(new ListingQuery("A", "RUNNING", null, null, 3))))
                .containsExactlyElementsOf(keys(oldestFirst.subList(0, 3)));
    }

    @Test
    default void findsWhatIsListedOfItsNodeOnly() {
        create(bench().otherNode(), new Listing("A", "RUNNING", START, null));
        MessageRecord here = create(bench().store(), new Listing("A", "RUNNING", START, null));

        awaitListed(new ListingQuery("A", "RUNNING", null, null, 10), List.of(here));
    }

    @Test
    default void countsWhatIsListedByKindAndStatus() {
        create(bench().store(), new Listing("A", "RUNNING", START, null));
        create(bench().store(), new Listing("A", "RUNNING", START, START));
        MessageRecord third = create(bench().store(), new Listing("A", "RUNNING", START, null));
        create(bench().store(), new Listing("A", "STUCK", START, null));
        create(bench().store(), new Listing("B", "RUNNING", START, null));
        create(bench().otherNode(), new Listing("A", "RUNNING", START, null));

        awaitCount(3, "A", "RUNNING");
        bench().replaced(third.nextContent(
                RecordState.DISPATCHED, "second", new Listing("A", "DONE", START, null), Map.of()));
        awaitCount(2, "A", "RUNNING");
        awaitCount(1, "A", "DONE");
        awaitCount(1, "A", "STUCK");
        awaitCount(0, "B", "STUCK");
    }

    // ---- what is forgotten

    @Test
    default void listsFinalCompanionsUntilTheyAreForgotten() {
        MessageRecord ended = create(bench().store(), new Listing("A", "RUNNING", START, START));
        MessageRecord living = create(bench().store(), new Listing("A", "RUNNING", START.plusSeconds(1), null));
        MessageRecord done = bench().replaced(ended.nextContent(
                RecordState.DISPATCHED, "first", new Listing("A", "DONE", START, null), Map.of()));
        awaitListed(new ListingQuery("A", "DONE", null, null, 10), List.of(done));
        bench().outliveTheRetention();

        assertThat(bench().store().removeExpired(100)).isIn(0, 1);

        bench().await().untilAsserted(() -> assertThat(bench().another().find(done.key()))
                .isNull());
        awaitListed(new ListingQuery("A", "DONE", null, null, 10), List.of());
        awaitListed(new ListingQuery("A", "RUNNING", null, null, 10), List.of(living));
        awaitCount(0, "A", "DONE");
    }

    // ---- details

    private static Instant createdAt(MessageRecord record) {
        Listing listing = record.listing();
        return listing == null ? Instant.MIN : listing.createdAt();
    }

    private MessageRecord due(Instant dueAt) {
        return create(bench().store(), new Listing("A", "RUNNING", START.minusSeconds(60), dueAt));
    }

    private static MessageRecord create(MessageStore store, Listing listing) {
        return store.create(companion(listing));
    }

    private static MessageRecord companion(Listing listing) {
        RecordKey key = RecordKey.companion(key().correlationId(), "saga." + listing.kind());
        return MessageRecord.companion(key, "first", listing, Map.of("saga", "{\"cents\":4711}"));
    }

    private static MessageRecord nextContent(MessageRecord record, @Nullable Listing listing) {
        return record.nextContent(RecordState.RELEASED, "second", listing, Map.of("saga", "{\"cents\":12}"));
    }

    private void awaitDue(Instant until, List<MessageRecord> expected) {
        bench().await().untilAsserted(() -> assertThat(keys(bench().store().findDue(Instant.EPOCH, until, 100)))
                .containsExactlyInAnyOrderElementsOf(keys(expected)));
    }

    private void awaitListed(ListingQuery query, List<MessageRecord> expected) {
        bench().await().untilAsserted(() -> assertThat(keys(bench().store().findListed(query)))
                .containsExactlyInAnyOrderElementsOf(keys(expected)));
    }

    private void awaitCount(long expected, String kind, String status) {
        bench().await().untilAsserted(() -> assertThat(bench().store().countListed(kind, status))
                .isEqualTo(expected));
    }
}
