// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Faults against {@link ListingRules}. */
final class BrokenListings extends StoreFaults {

    BrokenListings() {
        keeps();
        due();
        listed();
        counts();
    }

    private void keeps() {
        fault(
                "cuts to seconds when they began",
                "keepsListings",
                altering(r -> relisted(
                        r,
                        l -> new Listing(
                                l.kind(), l.status(), l.createdAt().truncatedTo(ChronoUnit.SECONDS), l.dueAt()))));
        fault(
                "cuts kinds",
                "keepsListings",
                altering(r -> relisted(r, l -> {
                    String kind = l.kind().substring(0, Math.min(64, l.kind().length()));
                    return new Listing(kind, l.status(), l.createdAt(), l.dueAt());
                })));
        fault("drops listings written together", "keepsListingsOfJointWrites", MessageStore::writeTogether)
                .instead((real, records) -> real.writeTogether(records.stream()
                        .map(r -> BrokenLanes.isLane(List.of(r)) ? r : relisted(r, l -> null))
                        .toList()));
        fault("finds what was listed once", "findsNothingThatIsNotListedAnyMore", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::findListed).instead((real, query) -> Stream.concat(
                            real.findListed(query).stream(),
                            inventory.all(real, r -> r.key().isShared() && r.listing() == null).stream())
                    .toList());
        });
        fault("finds what was due once", "findsNothingThatIsNotListedAnyMore", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::findDue).instead((real, from, until, limit) -> Stream.concat(
                            real.findDue(from, until, limit).stream(),
                            inventory.all(real, r -> r.key().isShared() && r.listing() == null).stream())
                    .toList());
        });
        fault("lists what it has forgotten", "listsFinalCompanionsUntilTheyAreForgotten", store -> {
            Map<RecordKey, MessageRecord> seen = new ConcurrentHashMap<>();
            store.on(MessageStore::findListed).instead((real, query) -> {
                List<MessageRecord> found = real.findListed(query);
                found.forEach(record -> seen.put(record.key(), record));
                return Stream.concat(
                                found.stream(),
                                seen.values().stream().filter(record -> real.find(record.key()) == null))
                        .toList();
            });
        });
        fault("lists what is unfinished only", "listsFinalCompanionsUntilTheyAreForgotten", MessageStore::findListed)
                .instead((real, query) -> real.findListed(query).stream()
                        .filter(record -> !record.state().isFinal())
                        .toList());
    }

    private void due() {
        fault("leaves out what is due just now", "findsWhatIsDueAndNothingElse", MessageStore::findDue)
                .instead((real, from, until, limit) -> {
                    List<MessageRecord> earlier = real.findDue(from, until.minusMillis(1), limit);
                    return earlier.isEmpty() ? real.findDue(from, until, limit) : earlier;
                });
        fault("ignores from when on to look", "findsWhatIsDueFromAMomentOn", MessageStore::findDue)
                .instead((real, from, until, limit) -> real.findDue(Instant.EPOCH, until, limit));
        fault("leaves out what is due in the first moment", "findsWhatIsDueFromAMomentOn", MessageStore::findDue)
                .instead((real, from, until, limit) -> real.findDue(from.plusMillis(1), until, limit));
        fault("finds what is due a moment later", "findsWhatIsDueAndNothingElse", MessageStore::findDue)
                .instead((real, from, until, limit) -> real.findDue(from, until.plusMillis(1), limit));
        fault("finds what is never due", "findsWhatIsDueAndNothingElse", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::findDue).instead((real, from, until, limit) -> Stream.concat(
                            real.findDue(from, until, limit).stream(),
                            inventory
                                    .all(
                                            real,
                                            r -> r.listing() != null
                                                    && r.listing().dueAt() == null)
                                    .stream())
                    .limit(limit)
                    .toList());
        });
        fault("finds the latest due first", "findsTheEarliestDueFirstAndNoMoreThanTheLimit", MessageStore::findDue)
                .instead((real, from, until, limit) -> reversed(real.findDue(from, until, limit)));
        fault("ignores the limit of due ones", "findsTheEarliestDueFirstAndNoMoreThanTheLimit", MessageStore::findDue)
                .instead((real, from, until, limit) -> real.findDue(from, until, Integer.MAX_VALUE));
        faultIn(
                "finds due ones of other nodes",
                "findsWhatIsDueOfItsNodeOnly",
                test -> store -> store.on(MessageStore::findDue)
                        .instead((real, from, until, limit) -> Stream.of(real, test.otherSound)
                                .flatMap(node -> node.findDue(from, until, limit).stream())
                                .toList()));
        fault("finds due ones without content", "findsWhatIsDueWithItsContent", MessageStore::findDue)
                .instead((real, from, until, limit) -> real.findDue(from, until, limit).stream()
                        .map(record -> record.withSteps(Map.of()))
                        .toList());
    }

    private void listed() {
        fault("ignores the case of kinds", "findsWhatIsListedByKindAndStatus", MessageStore::findListed)
                .instead((real, query) -> Stream.of(query.kind(), query.kind().toLowerCase(Locale.ROOT))
                        .distinct()
                        .flatMap(kind -> real
                                .findListed(new ListingQuery(
                                        kind,
                                        query.status(),
                                        query.createdFrom(),
                                        query.createdBefore(),
                                        query.limit()))
                                .stream())
                        .toList());
        fault("takes a kind for a beginning", "findsWhatIsListedByKindAndStatus", MessageStore::findListed)
                .instead((real, query) -> Stream.of(query.kind(), query.kind() + "Saga")
                        .flatMap(kind -> real
                                .findListed(new ListingQuery(
                                        kind,
                                        query.status(),
                                        query.createdFrom(),
                                        query.createdBefore(),
                                        query.limit()))
                                .stream())
                        .toList());
        fault("lists every status", "findsWhatIsListedByKindAndStatus", MessageStore::findListed)
                .instead((real, query) -> Stream.of(query.status(), "STUCK")
                        .distinct()
                        .flatMap(status -> real
                                .findListed(new ListingQuery(
                                        query.kind(),
                                        status,
                                        query.createdFrom(),
                                        query.createdBefore(),
                                        query.limit()))
                                .stream())
                        .toList());
        fault("ignores from when on to list", "findsWhatIsListedFromAMomentOn", MessageStore::findListed)
                .instead((real, query) -> real.findListed(
                        new ListingQuery(query.kind(), query.status(), null, query.createdBefore(), query.limit())));
        fault("leaves out those of the first moment", "findsWhatIsListedFromAMomentOn", MessageStore::findListed)
                .instead((real, query) -> {
                    Instant from = query.createdFrom();
                    return real.findListed(new ListingQuery(
                            query.kind(),
                            query.status(),
                            from == null ? null : from.plusMillis(1),
                            query.createdBefore(),
                            query.limit()));
                });
        fault("lists those of the moment itself", "findsWhatIsListedSinceBefore", MessageStore::findListed)
                .instead((real, query) -> {
                    Instant before = query.createdBefore();
                    return real.findListed(new ListingQuery(
                            query.kind(),
                            query.status(),
                            query.createdFrom(),
                            before == null ? null : before.plusMillis(1),
                            query.limit()));
                });
        fault("lists the youngest first", "findsTheOldestListedFirstAndNoMoreThanTheLimit", MessageStore::findListed)
                .instead((real, query) -> reversed(real.findListed(query)));
        fault("ignores the limit of a list", "findsTheOldestListedFirstAndNoMoreThanTheLimit", MessageStore::findListed)
                .instead((real, query) -> real.findListed(new ListingQuery(
                        query.kind(), query.status(), query.createdFrom(), query.createdBefore(), 100)));
        faultIn(
                "lists those of other nodes",
                "findsWhatIsListedOfItsNodeOnly",
                test -> store -> store.on(MessageStore::findListed)
                        .instead((real, query) -> Stream.of(real, test.otherSound)
                                .flatMap(node -> node.findListed(query).stream())
                                .toList()));
    }

    private void counts() {
        faultIn(
                "counts those of other nodes",
                "countsWhatIsListedByKindAndStatus",
                test -> store -> store.on(MessageStore::countListed)
                        .instead((real, kind, status) ->
                                real.countListed(kind, status) + test.otherSound.countListed(kind, status)));
        fault("counts a page", "countsWhatIsListedByKindAndStatus", MessageStore::countListed)
                .instead((real, kind, status) -> Math.min(2, real.countListed(kind, status)));
    }

    private static MessageRecord relisted(MessageRecord record, UnaryOperator<@Nullable Listing> change) {
        Listing listing = record.listing();
        return listing == null
                ? record
                : record.nextContent(record.state(), record.owner(), change.apply(listing), record.steps())
                        .withVersion(record.version());
    }

    private static List<MessageRecord> reversed(List<MessageRecord> records) {
        List<MessageRecord> reversed = new ArrayList<>(records);
        Collections.reverse(reversed);
        return reversed;
    }
}
