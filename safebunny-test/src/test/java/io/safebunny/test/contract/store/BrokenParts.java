// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.MessageStore;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.MessageRecord;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Faults against {@link WholeStoreRules}. */
final class BrokenParts extends StoreFaults {

    private static final String ALL = "readsAllThereIsPartByPart";

    BrokenParts() {
        fault("leaves out the first record of each part but the first", ALL, MessageStore::findAll)
                .instead((real, after, limit) ->
                        changed(real.findAll(after, limit), rows -> after == null || limit == 1 ? rows : rows.skip(1)));
        fault("ends after the first part", ALL, MessageStore::findAll)
                .instead((real, after, limit) ->
                        new StoredPage<>(part(real.findAll(after, limit)).rows(), 0, null));
        fault("begins each part with the last record of the one before", ALL, MessageStore::findAll)
                .instead((real, after, limit) -> {
                    if (after == null || limit == 1) {
                        return real.findAll(after, limit);
                    }
                    StoredPage<MessageRecord> part = part(real.findAll(after, limit - 1));
                    MessageRecord last = last(real, after);
                    return new StoredPage<>(
                            Stream.concat(Stream.of(last), part.rows().stream()).toList(), 0, part.next());
                });
        fault("gives more than was asked for", ALL, MessageStore::findAll)
                .instead((real, after, limit) -> real.findAll(after, limit + 1));
        fault("leaves out companions", ALL, MessageStore::findAll)
                .instead((real, after, limit) -> changed(
                        real.findAll(after, limit),
                        rows -> rows.filter(record -> !record.key().isCompanion()
                                || record.key().isApart()
                                || record.key().isShared())));
        fault("leaves out steps that are kept apart", "readsStepsThatAreKeptApart", MessageStore::findAll)
                .instead((real, after, limit) -> changed(
                        real.findAll(after, limit),
                        rows -> rows.filter(record -> !record.key().isApart())));
        fault("reads records without content", "readsRecordsWithTheirContent", MessageStore::findAll)
                .instead((real, after, limit) ->
                        changed(real.findAll(after, limit), rows -> rows.map(record -> record.withSteps(Map.of()))));
        faultIn(
                "reads what other nodes have",
                "readsNothingOfOtherNodes",
                test -> store -> store.on(MessageStore::findAll)
                        .instead((real, after, limit) -> changed(real.findAll(after, limit), rows -> Stream.concat(
                                        rows, part(test.otherSound.findAll(null, 1)).rows().stream())
                                .limit(limit))));
    }

    private static StoredPage<MessageRecord> part(@Nullable StoredPage<MessageRecord> part) {
        return Objects.requireNonNull(part);
    }

    private static MessageRecord last(MessageStore real, String after) {
        String next = null;
        MessageRecord last;
        do {
            StoredPage<MessageRecord> one = part(real.findAll(next, 1));
            last = one.rows().get(0);
            next = one.next();
        } while (next != null && !next.equals(after));
        return last;
    }

    private static StoredPage<MessageRecord> changed(
            @Nullable StoredPage<MessageRecord> part, UnaryOperator<Stream<MessageRecord>> how) {
        StoredPage<MessageRecord> sound = part(part);
        return new StoredPage<>(how.apply(sound.rows().stream()).toList(), sound.unreadable(), sound.next());
    }
}
