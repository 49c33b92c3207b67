// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import io.safebunny.saga.SagaPage;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.scheduling.ListedRecords;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lists sagas of several names and statuses in one order, page by page. Holds only a portion of each list, about a page in all, because
 * states may be large. Thread-safe.
 */
final class SagaPages {

    private static final int MOST_SCANNED = 1000;
    private static final int LARGEST_PORTION = 50;

    private final MessageStore store;
    private final String node;

    /** @param node the node whose sagas they are */
    SagaPages(MessageStore store, String node) {
        this.store = store;
        this.node = node;
    }

    /** @param sagas names of all sagas of the node */
    SagaPage read(Set<String> sagas, SagaQuery query) {
        SagaPosition last = query.after() == null ? null : SagaPosition.parse(query.after());
        List<ListedRecords<SagaPosition>> sources = sources(sagas, query, last);
        List<SagaView> page = new ArrayList<>();
        int scanned = 0;
        for (ListedRecords<SagaPosition> first = first(sources); first != null; first = first(sources)) {
            if (page.size() == query.limit() || scanned == MOST_SCANNED) {
                return new SagaPage(page, scanned, String.valueOf(last));
            }
            MessageRecord next = Objects.requireNonNull(first.peek());
            first.remove();
            SagaPosition position = SagaPosition.of(next);
            if (!position.equals(last)) { // a saga whose status changes meanwhile may be found twice
                last = position;
                scanned++;
                SagaDocument.ifReadable(position.saga(), next)
                        .map(saga -> saga.view(node))
                        .filter(view -> !query.blocked() || isBlocked(view))
                        .ifPresent(page::add);
            }
        }
        return new SagaPage(page, scanned, null);
    }

    private static boolean isBlocked(SagaView saga) {
        return !saga.blockedOn().isEmpty() || saga.idleSince() != null;
    }

    private List<ListedRecords<SagaPosition>> sources(
            Set<String> sagas, SagaQuery query, @Nullable SagaPosition after) {
        List<String> names = sagas.stream()
                .filter(saga -> query.saga() == null || saga.equals(query.saga()))
                .toList();
        List<String> listings = query.statuses().stream()
                .flatMap(status -> listings(status, query.blocked()).stream())
                .toList();
        int shared = Math.min(query.limit(), LARGEST_PORTION) / Math.max(1, names.size() * listings.size());
        return names.stream()
                .flatMap(saga -> listings.stream().map(listed -> new ListedRecords<>(
                                saga,
                                listed,
                                SagaPosition::of,
                                after,
                                after == null ? null : after.startedAt(),
                                shared + 2,
                                Integer.MAX_VALUE,
                                Long.MAX_VALUE,
                                store)
                        .before(query.startedBefore())))
                .toList();
    }

    /** Active ones that are blocked have a listing of their own, so that the others need not be read to find them. */
    private static List<String> listings(SagaStatus status, boolean blocked) {
        return blocked && status == SagaStatus.ACTIVE ? List.of(SagaDocument.BLOCKED) : SagaDocument.listings(status);
    }

    /** The source with the oldest next saga; {@code null} if all are exhausted. */
    private static @Nullable ListedRecords<SagaPosition> first(List<ListedRecords<SagaPosition>> sources) {
        return sources.stream()
                .filter(source -> source.peek() != null)
                .min(Comparator.comparing(source -> SagaPosition.of(Objects.requireNonNull(source.peek()))))
                .orElse(null);
    }
}
