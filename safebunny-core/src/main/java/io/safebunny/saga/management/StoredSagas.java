// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.identity.RandomIds;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.saga.SagaPage;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.Trail;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads sagas from the store, and repairs them by messages. Thread-safe. */
final class StoredSagas implements Sagas {

    private static final int MOST_LISTED = 1000;
    private static final int LONGEST_NAME = 100;

    private final Node node;
    private final SagaMessages messages;
    private final Supplier<Map<String, SagaDefinition>> known;
    private final @Nullable String by;

    /**
     * @param known supplies the node's sagas by name; throws if there are none
     * @param by in whose name it repairs; {@code null} for nobody's
     */
    StoredSagas(Node node, SagaMessages messages, Supplier<Map<String, SagaDefinition>> known, @Nullable String by) {
        this.node = node;
        this.messages = messages;
        this.known = known;
        this.by = by;
    }

    @Override
    public Sagas by(String user) {
        return new StoredSagas(node, messages, known, user.isBlank() ? null : Names.printable(user, LONGEST_NAME));
    }

    @Override
    public List<SagaView> find(String sagaId) {
        return known.get().keySet().stream()
                .flatMap(saga -> find(saga, sagaId).stream())
                .toList();
    }

    @Override
    public Optional<SagaView> find(String saga, String sagaId) {
        requireKnown(saga, sagaId);
        MessageRecord stored = node.requireStore().find(SagaDocument.key(saga, sagaId));
        return stored == null
                ? Optional.empty()
                : Optional.of(explained(SagaDocument.read(saga, stored).view(node.name())));
    }

    /** Of a stuck saga it tells how its message has failed, which that message's own record knows. */
    private SagaView explained(SagaView view) {
        StuckOn stuck = view.stuckOn();
        return stuck == null
                ? view
                : new SagaView(
                        view.saga(),
                        view.id(),
                        view.status(),
                        view.version(),
                        view.stateVersion(),
                        view.state(),
                        view.encrypted(),
                        view.startedAt(),
                        view.changedAt(),
                        view.endedAt(),
                        view.reason(),
                        view.steps(),
                        view.timeouts(),
                        view.blockedOn(),
                        explained(stuck, trail(view.id(), stuck.messageId())),
                        view.idleSince(),
                        view.history());
    }

    private Trail trail(String sagaId, String messageId) {
        try {
            MessageRecord record = node.requireStore().find(new RecordKey(sagaId, messageId));
            return record == null ? Trail.NONE : record.trail();
        } catch (UnreadableRecordException e) { // a newer version of SafeBunny wrote it
            return Trail.NONE;
        }
    }

    private StuckOn explained(StuckOn stuck, Trail told) {
        int failures = told.failures().size();
        Trail.Failure last = failures == 0 ? null : told.failures().get(failures - 1);
        boolean shown = node.details().of(told.type()).showsStoredTexts(); // the text may be of a time when it was
        return new StuckOn(
                stuck.messageId(),
                stuck.node(),
                stuck.since(),
                told.type().isEmpty() ? null : told.type(),
                last == null ? null : last.exception(),
                last == null || !shown ? null : last.text());
    }

    @Override
    public List<SagaView> list(@Nullable String saga, @Nullable SagaStatus status, Duration olderThan, int limit) {
        if (saga != null) {
            requireKnown(saga);
        }
        if (limit < 1 || limit > MOST_LISTED || olderThan.isNegative()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid query of sagas [limit=%s, olderThan=%s]: the limit must be 1 to %s, the age not negative."
                            .formatted(limit, olderThan, MOST_LISTED));
        }
        Instant before = olderThan.isZero() ? null : node.timeline().now().minus(olderThan);
        List<SagaStatus> statuses = status == null ? List.of(SagaStatus.values()) : List.of(status);
        return known.get().keySet().stream()
                .filter(kind -> saga == null || saga.equals(kind))
                .flatMap(kind -> statuses.stream()
                        .flatMap(which -> SagaDocument.listings(which).stream())
                        .flatMap(listed -> list(kind, listed, before, limit)))
                .sorted(Comparator.comparing(SagaView::startedAt))
                .limit(limit)
                .toList();
    }

    @Override
    public SagaPage page(SagaQuery query) {
        if (query.saga() != null) {
            requireKnown(query.saga());
        }
        Set<String> names = known.get().keySet(); // before the store, which a node without sagas need not have
        SagaPage page = new SagaPages(node.requireStore(), node.name()).read(names, query);
        return new SagaPage(page.sagas().stream().map(this::explained).toList(), page.scanned(), page.next());
    }

    private Stream<SagaView> list(String kind, String listed, @Nullable Instant before, int limit) {
        return node.requireStore().findListed(new ListingQuery(kind, listed, null, before, limit)).stream()
                .flatMap(record -> SagaDocument.ifReadable(kind, record).stream())
                .map(saga -> saga.view(node.name()));
    }

    @Override
    public String retry(String saga, String sagaId, String reason) {
        return send(sagaId, new BunnyRepair(saga, Action.RETRY, null, 0, null, reason, by));
    }

    @Override
    public String skip(String saga, String sagaId, String step, String reason) {
        return send(sagaId, new BunnyRepair(saga, Action.SKIP, step, 0, null, reason, by));
    }

    @Override
    public String fail(String saga, String sagaId, String reason) {
        return send(sagaId, new BunnyRepair(saga, Action.FAIL, null, 0, null, reason, by));
    }

    @Override
    public String resume(String saga, String sagaId, String reason) {
        return send(sagaId, new BunnyRepair(saga, Action.RESUME, null, 0, null, reason, by));
    }

    @Override
    public String patch(String saga, String sagaId, long expectedVersion, String state, String reason) {
        requireKnown(saga, sagaId);
        SagaDefinition definition = known.get().get(saga);
        if (definition != null && definition.encryptedAs() != null) {
            throw new MisuseException(
                    MisuseException.REPAIR,
                    "The state of saga %s is encrypted, and a patch would bring it in clear [%s]. Correct it by an @Upgrade of the saga's class, or fail the saga."
                            .formatted(saga, sagaId));
        }
        return send(sagaId, new BunnyRepair(saga, Action.PATCH, null, expectedVersion, state, reason, by));
    }

    /** @return the id of the repair */
    private String send(String sagaId, BunnyRepair repair) {
        String saga = repair.saga();
        requireKnown(saga, sagaId);
        if (repair.reason().isBlank()) {
            throw refused("A repair needs a reason", saga, "Give one: it is kept in the saga's history");
        }
        if (!Names.isUnicode(repair.reason()) || !isUnicode(repair.step()) || !isUnicode(repair.state())) {
            throw refused(
                    "A repair contains an unpaired surrogate (half of a character)",
                    saga,
                    "Cut text between characters");
        }
        if (node.requireStore().find(SagaDocument.key(saga, sagaId)) == null) {
            throw refused("There is no saga %s of that id".formatted(saga), sagaId, "Check the id with find");
        }
        String id = RandomIds.next(node.timeline().random());
        node.sender()
                .send(messages.repair(repair, id, sagaId, node.timeline().now()))
                .await();
        return id;
    }

    private static boolean isUnicode(@Nullable String text) {
        return text == null || Names.isUnicode(text);
    }

    private void requireKnown(String saga) {
        if (!known.get().containsKey(saga)) {
            throw refused("This node has no such saga", saga, "Use a node that has it");
        }
    }

    private void requireKnown(String saga, String sagaId) {
        requireKnown(saga);
        if (!Names.isCorrelationId(sagaId)) {
            throw refused("Invalid id of a saga", sagaId, "It must match [A-Za-z0-9._:-]{1,64}");
        }
    }

    private static MisuseException refused(String what, String which, String action) {
        return new MisuseException(
                MisuseException.SAGA, "%s [%s]. %s.".formatted(what, Names.printable(which), action));
    }
}
