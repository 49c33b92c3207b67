// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneSlot;
import io.safebunny.order.lane.StoredDelivery;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.poison.replay.QueuePoisonMessages.Head;
import io.safebunny.scheduling.Scheduling;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds messages of a node where they can be looked at without being consumed, a bounded number in each place. Thread-safe. */
final class StoredMessages {

    private static final int MOST_COPIES = 1_000;
    private static final int MOST_LISTED = 100;
    private static final int MOST_UNSENT = 10;

    /** Records that are in memory at a time, with their bodies. */
    private static final int PAGE = 10;

    private static final int MOST_OF_LANE = 3;

    private static final String POISON = "poison queue";
    private static final String PARKED = "order key";
    private static final String SCHEDULED = "scheduled";
    private static final String UNSENT = "not sent yet";
    private static final String OUTBOX = "outbox";

    private static final String MORE = "has perhaps more than the first %s";

    private final Node node;
    private final QueuePoisonMessages poison;

    StoredMessages(Node node, QueuePoisonMessages poison) {
        this.node = node;
        this.poison = poison;
    }

    /**
     * @param wanted which copies are kept while others are looked at
     * @param found gets each, with where it is
     * @throws io.safebunny.store.StoreUnavailableException if the store does not answer
     */
    void forEach(Predicate<WireMessage> wanted, BiConsumer<WireMessage, String> found, Omissions omissions) {
        poison(wanted, found, omissions);
        MessageStore store = node.store();
        if (store != null) {
            for (String status : List.of(LaneDocument.HELD, LaneDocument.DUE)) {
                parked(store, status, found, omissions);
            }
            listed(
                    store,
                    Scheduling.waiting(PAGE),
                    SCHEDULED,
                    omissions,
                    record -> add(Scheduling.publicationOf(record), SCHEDULED, found, omissions));
            List<MessageRecord> unsent = store.findCompleted(Duration.ZERO, MOST_UNSENT);
            unsent.forEach(record -> record.outgoing().forEach(each -> add(each, UNSENT, found, omissions)));
            if (unsent.size() >= MOST_UNSENT) {
                omissions.add(UNSENT, MORE.formatted(MOST_UNSENT), 0);
            }
        }
        Outbox outbox = node.parts().outbox();
        if (outbox != null) {
            OptionalInt waiting = outbox.backlog();
            if (waiting.isEmpty() || waiting.getAsInt() > 0) {
                omissions.add(OUTBOX, "does not list its messages", waiting.orElse(0));
            }
        }
        omissions.add("queues", "are not looked at, because that would consume messages", 0);
        omissions.add("archive of the poison queue", "is not looked at", 0);
    }

    private void poison(Predicate<WireMessage> wanted, BiConsumer<WireMessage, String> found, Omissions omissions) {
        try {
            Head head = poison.head(MOST_COPIES, wanted);
            head.copies().forEach(wire -> found.accept(wire, POISON));
            if (head.whyNotAll() != null) {
                omissions.add(POISON, "may have more copies: " + head.whyNotAll(), 0);
            }
            if (head.waiting() > 0) {
                omissions.add(POISON, "has more copies than the first %s".formatted(MOST_COPIES), head.waiting());
            }
        } catch (SafeBunnyException e) { // without handlers there is none; the queue may not be readable
            omissions.add(POISON, "could not be looked at: " + e.code(), 0);
        }
    }

    /** Page by page, the oldest first. */
    private static void listed(
            MessageStore store, ListingQuery first, String where, Omissions omissions, Consumer<MessageRecord> each) {
        Set<RecordKey> seen = new HashSet<>();
        ListingQuery query = first;
        while (seen.size() < MOST_LISTED) {
            List<MessageRecord> page = store.findListed(query);
            int before = seen.size();
            Instant last = null;
            for (MessageRecord record : page) {
                last = Objects.requireNonNull(record.listing()).createdAt();
                if (seen.add(record.key())) {
                    each.accept(record);
                }
            }
            if (page.size() < PAGE) {
                return;
            }
            if (seen.size() == before) {
                break; // a whole page of one moment, behind which no query leads
            }
            query = new ListingQuery(first.kind(), first.status(), last, null, PAGE);
        }
        omissions.add(where, MORE.formatted(seen.size()), 0);
    }

    private static void add(
            @Nullable OutboundMessage message,
            String where,
            BiConsumer<WireMessage, String> found,
            Omissions omissions) {
        if (message == null) {
            omissions.add(where, "cannot be read by this version of SafeBunny");
        } else {
            found.accept(message.message(), where);
        }
    }

    private void parked(MessageStore store, String status, BiConsumer<WireMessage, String> found, Omissions omissions) {
        ListingQuery query = new ListingQuery(LaneDocument.KIND, status, null, null, PAGE);
        listed(store, query, PARKED, omissions, stored -> {
            try {
                parked(store, stored.key(), LaneDocument.read(stored), found, omissions);
            } catch (UnreadableRecordException e) {
                omissions.add(PARKED, "cannot be read by this version of SafeBunny");
            }
        });
    }

    private static void parked(
            MessageStore store, RecordKey key, Lane lane, BiConsumer<WireMessage, String> found, Omissions omissions) {
        if (lane.head() != null) {
            parked(store, new RecordKey(key.correlationId(), lane.head()), found);
        }
        long until = Math.min(lane.next(), lane.first() + MOST_OF_LANE);
        for (long slot = lane.first(); slot < until; slot++) {
            MessageRecord place = store.find(LaneSlot.key(key, slot));
            if (place != null) {
                parked(store, new RecordKey(key.correlationId(), LaneSlot.message(place)), found);
            }
        }
        if (until < lane.next()) {
            omissions.add(PARKED, "has more messages than the first %s".formatted(MOST_OF_LANE), lane.next() - until);
        }
    }

    /** A record that has not been handled keeps its own message, and nothing else. */
    private static void parked(MessageStore store, RecordKey key, BiConsumer<WireMessage, String> found) {
        MessageRecord record = store.find(key);
        if (record != null
                && record.outgoing().size() == 1
                && key.messageId().equals(record.outgoing().get(0).message().messageId())) {
            WireMessage wire = new StoredDelivery(record.outgoing().get(0), () -> true)
                    .message()
                    .message();
            found.accept(wire, PARKED);
        }
    }
}
