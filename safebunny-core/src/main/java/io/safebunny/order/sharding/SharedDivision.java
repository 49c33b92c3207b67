// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.identity.RandomIds;
import io.safebunny.order.sharding.Division.Change;
import io.safebunny.store.MessageStore;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The division of one type, in a record of its own, which all instances read and which each write replaces if nobody else has. Thread-safe. */
final class SharedDivision {

    private static final String FORMAT = "1";
    private static final int TRIES = 20;

    private final RecordKey key;
    private final MessageStore store;
    private final Timeline timeline;

    SharedDivision(String type, MessageStore store, Timeline timeline) {
        // cannot clash with a message or a saga, because names of sagas have no dot
        this.key = RecordKey.companion("bunny.shards." + type, "bunny.shards");
        this.store = store;
        this.timeline = timeline;
    }

    /** What was read, with the record that {@link #write} replaces; both {@code null} if the messages were never divided. */
    record Stored(@Nullable MessageRecord record, @Nullable Division division) {

        boolean isDivided() {
            return division != null && division.count() > 0;
        }
    }

    /** @throws RuntimeException the store does not answer, or a newer version has written the record */
    Stored read() {
        MessageRecord found = TransactionalMessageStore.apart(store, () -> store.find(key));
        return new Stored(found, found == null ? null : division(found));
    }

    /**
     * @return whether nobody has written it since it was read
     * @throws RuntimeException the store does not answer; whether it is written is not known then
     */
    boolean write(Stored before, Division next) {
        String owner = RandomIds.next(timeline.random());
        MessageRecord replaced = before.record();
        MessageRecord write = replaced == null
                ? MessageRecord.companion(key, owner, null, content(next))
                : replaced.nextContent(RecordState.RELEASED, owner, null, content(next)); // never expires
        MessageRecord written = TransactionalMessageStore.apart(
                store, () -> replaced == null ? store.create(write) : store.replace(write));
        return written != null && written.owner().equals(owner);
    }

    /**
     * @param change returns its argument if there is nothing to do
     * @return whether that is written, or was to begin with; not if there is no division in this store, or others have kept changing it
     * @throws RuntimeException the store does not answer
     */
    boolean change(UnaryOperator<Division> change) {
        for (int tries = 0; tries < TRIES; tries++) {
            Stored stored = read();
            Division present = stored.division();
            if (present == null) {
                return false;
            }
            Division next = change.apply(present);
            if (next.equals(present) || write(stored, next)) {
                return true;
            }
        }
        return false;
    }

    private static Map<String, String> content(Division division) {
        Map<String, String> content = new LinkedHashMap<>();
        content.put("format", FORMAT);
        content.put("count", String.valueOf(division.count()));
        Change change = division.change();
        if (change != null) {
            content.put("to", String.valueOf(change.to()));
            content.put("token", '"' + change.token() + '"');
            content.put(
                    "drained",
                    change.drained().stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]")));
            content.put("since", String.valueOf(change.since().toEpochMilli()));
        }
        return content;
    }

    private Division division(MessageRecord found) {
        Map<String, String> content = found.steps();
        if (!FORMAT.equals(content.get("format"))) {
            throw new UnreadableRecordException(key, "shards of format " + content.get("format"), null);
        }
        try {
            int count = Integer.parseInt(content.getOrDefault("count", ""));
            String to = content.get("to");
            return to == null
                    ? new Division(count)
                    : new Division(
                            count,
                            new Change(
                                    Integer.parseInt(to),
                                    inside(content, "token"),
                                    numbers(inside(content, "drained")),
                                    Instant.ofEpochMilli(Long.parseLong(content.getOrDefault("since", "")))));
        } catch (NumberFormatException e) {
            throw new UnreadableRecordException(key, "shards", e);
        }
    }

    /** A text without its quotes, a list without its brackets. */
    private static String inside(Map<String, String> content, String name) {
        String json = content.getOrDefault(name, "");
        return json.length() < 2 ? "" : json.substring(1, json.length() - 1);
    }

    private static SortedSet<Integer> numbers(String list) {
        SortedSet<Integer> numbers = new TreeSet<>();
        for (String number : list.isEmpty() ? new String[0] : list.split(",", -1)) {
            numbers.add(Integer.valueOf(number));
        }
        return numbers;
    }
}
