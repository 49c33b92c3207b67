// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.search;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.identity.IdScheme;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.message.Names;
import io.safebunny.scheduling.Scheduling;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.story.exchange.Gathered;
import io.safebunny.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds out what an id is, and which correlation ids it leads to: by keys that every store has, and only then by reading all keys. */
final class IdSearch {

    /** One message id has one correlation id, unless somebody makes ids by hand. */
    private static final int MOST_CORRELATIONS = 10;

    /** Each is one look at the store. */
    private static final int MOST_KEYED = 100;

    /** Databases count in seconds, and take half of one too much at the most. */
    private static final Duration SHORTEST = Duration.ofMillis(500);

    static final String CORRELATION = Gathered.CORRELATION;
    static final String MESSAGE = "message id";
    static final String RECORDS = "records with this message id";
    static final String KEY = "idempotency key";
    static final String SCHEDULED = "scheduled message";

    private static final Found NOTHING = new Found(null, List.of());

    private final @Nullable MessageStore store;
    private final @Nullable Outbox outbox;
    private final IdScheme scheme;
    private final List<HandlerDefinition> handlers;
    private final Looks looks;
    private final Deadline deadline;

    IdSearch(
            @Nullable MessageStore store,
            @Nullable Outbox outbox,
            IdScheme scheme,
            List<HandlerDefinition> handlers,
            Looks looks,
            Deadline deadline) {
        this.store = store;
        this.outbox = outbox;
        this.scheme = scheme;
        this.handlers = handlers;
        this.looks = looks;
        this.deadline = deadline;
    }

    /** @param as what the id is; {@code null} if nothing is known of it */
    record Found(@Nullable String as, List<String> correlationIds) {}

    /** By what every store has a key for. */
    Found correlated(String id) {
        return Names.isMessageId(id) ? byCorrelation(id) : NOTHING;
    }

    Found find(String id) {
        if (Names.isMessageId(id)) { // every correlation id is one, too
            Found correlated = byCorrelation(id);
            if (correlated.as() != null) {
                return correlated;
            }
        }
        Found keyed = byKey(id);
        return keyed.as() == null && Names.isMessageId(id) ? byMessage(id) : keyed;
    }

    private Found byCorrelation(String id) {
        List<DatedRecord> records = records(id);
        MessageRecord scheduled = records.stream()
                .map(DatedRecord::record)
                .filter(record -> record.key().equals(Scheduling.keyOf(id)))
                .findFirst()
                .orElse(null);
        if (scheduled != null) {
            Set<String> both = new LinkedHashSet<>(List.of(id));
            String of = Scheduling.correlationIdOf(scheduled);
            if (of != null) {
                both.add(of);
            }
            return new Found(SCHEDULED, List.copyOf(both));
        }
        return records.isEmpty() && unsent(id).isEmpty() ? NOTHING : new Found(CORRELATION, List.of(id));
    }

    private List<DatedRecord> records(String correlationId) {
        return store == null
                ? List.of()
                : looks.at(
                        "records of this correlation id", () -> store.findCorrelated(correlationId, MOST_CORRELATIONS));
    }

    private List<Outbox.Unsent> unsent(String correlationId) {
        return outbox == null
                ? List.of()
                : looks.at("outbox rows of this correlation id", () -> outbox.findCorrelated(correlationId, 1));
    }

    /** Of messages that this node handles: their ids follow from the key, if it was used outside handlers. */
    private Found byKey(String key) {
        Set<String> candidates = new LinkedHashSet<>();
        for (HandlerDefinition handler : handlers) {
            for (String node : handler.from()) {
                candidates.add(LineageIdScheme.correlationIdOf(scheme, node, handler.type(), key));
            }
        }
        String where = "records of messages with this idempotency key";
        if (store == null || candidates.isEmpty()) {
            return NOTHING;
        }
        List<String> tried = new ArrayList<>();
        List<String> found = looks.at(where, () -> candidates.stream()
                .limit(MOST_KEYED)
                .takeWhile(candidate -> !deadline.isOver())
                .peek(tried::add)
                .filter(candidate -> !store.findCorrelated(candidate, 1).isEmpty())
                .limit(MOST_CORRELATIONS)
                .toList());
        if (tried.size() < candidates.size()) {
            looks.cut(
                    where,
                    "only the first %s of %s pairs of type and node were tried"
                            .formatted(tried.size(), candidates.size()));
        }
        return found.isEmpty() ? NOTHING : new Found(KEY, found);
    }

    private static String time(Duration timeout) {
        return timeout.toMillis() % 1_000 == 0 ? timeout.toSeconds() + " s" : timeout.toMillis() + " ms";
    }

    /** Notes if there is more, or no time. */
    private List<String> searched(String where, Supplier<List<String>> search) {
        if (deadline.left().compareTo(SHORTEST) < 0) {
            looks.notAt(where, "the search was to take %s at most".formatted(time(deadline.timeout())));
            return List.of();
        }
        List<String> found = looks.at(where, search);
        if (found.size() <= MOST_CORRELATIONS) {
            return found;
        }
        looks.cut(where, "it has more correlation ids than the %s that are told".formatted(MOST_CORRELATIONS));
        return found.subList(0, MOST_CORRELATIONS);
    }

    private Found byMessage(String id) {
        Set<String> found = new LinkedHashSet<>();
        if (outbox != null) {
            String rows = "outbox rows with this message id";
            found.addAll(searched(rows, () -> outbox.findCorrelationIds(id, MOST_CORRELATIONS + 1, deadline.left())));
        }
        if (store != null) {
            found.addAll(searched(RECORDS, () -> store.findCorrelationIds(id, MOST_CORRELATIONS + 1, deadline.left())));
        }
        return found.isEmpty() ? NOTHING : new Found(MESSAGE, new ArrayList<>(found));
    }
}
