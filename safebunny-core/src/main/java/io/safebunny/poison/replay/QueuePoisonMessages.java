// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.consuming.MessageInspector;
import io.safebunny.dedup.LeaseWatch;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonGroup;
import io.safebunny.poison.PoisonList;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the node's poison queue, and its archive, through the transport. Thread-safe. */
public final class QueuePoisonMessages implements PoisonMessages {

    private static final int LEAST_LOOKED_AT = 1_000;
    private static final int LOOKED_AT_PER_MATCH = 10;
    private static final int MOST_SEARCHED = 100_000;
    private static final int MOST_COPIES = 100;

    private final String node;
    private final String queue;
    private final String archive;
    private final Looks looks;
    private final ConfirmedSender sender;
    private final Timeline timeline;
    private final Supplier<PoisonReader> readers;
    private final Edits edits;
    private final Operations operations;
    private final CopyMover mover;
    private final Metrics metrics;
    private final Events events;
    private final ExceptionDetails details;

    /**
     * @param inspectors of the queues that the node handles, by their names
     * @param store {@code null} when handled messages are not remembered
     * @param retention how long that remembers handled messages
     * @param poisonRetention how long it remembers those that were set aside
     * @param blocking runs each operation as one task
     */
    public QueuePoisonMessages(
            String node,
            Transport transport,
            ConfirmedSender sender,
            Timeline timeline,
            Executor blocking,
            Map<String, MessageInspector> inspectors,
            @Nullable MessageStore store,
            Duration retention,
            Duration poisonRetention,
            Metrics metrics,
            Events events,
            ExceptionDetails details) {
        this.node = node;
        this.queue = Topology.poisonOf(node);
        this.archive = Topology.archiveOf(node);
        this.looks = new Looks(transport);
        this.sender = sender;
        this.timeline = timeline;
        LeaseWatch watch = new LeaseWatch(timeline);
        ReplayAge ages = new ReplayAge(timeline, retention, poisonRetention);
        this.readers = () -> new PoisonReader(
                inspectors, store == null ? null : new StoredRecords(store, timeline, watch), ages, details);
        this.edits = new Edits(new PoisonReader(inspectors, null, ages, details), store, timeline);
        this.operations = new Operations(blocking);
        this.mover = new CopyMover(sender, events);
        this.metrics = metrics;
        this.events = events;
        this.details = details;
    }

    @Override
    public PoisonList list(PoisonFilter filter) {
        return list(queue, filter);
    }

    @Override
    public PoisonList archived(PoisonFilter filter) {
        return list(archive, filter);
    }

    private PoisonList list(String from, PoisonFilter filter) {
        return looks.alone(from, browsed -> list(browsed, filter));
    }

    private PoisonList list(BrowsedQueue browsed, PoisonFilter filter) {
        int most = (int) Math.max(LEAST_LOOKED_AT, (long) filter.limit() * LOOKED_AT_PER_MATCH);
        PoisonReader reader = readers.get();
        List<PoisonedMessage> matching = new ArrayList<>();
        int scanned = 0;
        Delivery delivery = null;
        while (scanned < most && matching.size() < filter.limit() && (delivery = browsed.next()) != null) {
            scanned++;
            WireMessage wire = delivery.message().message();
            if (reader.matches(wire, filter)) {
                matching.add(reader.read(wire, false).shown().withoutHeaders());
            }
        }
        long depth = scanned + browsed.waiting();
        return new PoisonList(depth, scanned, scanned < depth, groups(matching), matching);
    }

    private static List<PoisonGroup> groups(List<PoisonedMessage> copies) {
        Map<PoisonGroup, Integer> counts = new LinkedHashMap<>();
        copies.forEach(copy ->
                counts.merge(new PoisonGroup(copy.type(), copy.reason(), copy.exceptionType(), 0), 1, Integer::sum));
        return counts.entrySet().stream()
                .map(group -> new PoisonGroup(
                        group.getKey().type(),
                        group.getKey().reason(),
                        group.getKey().exception(),
                        group.getValue()))
                .sorted(Comparator.comparingInt(PoisonGroup::copies).reversed())
                .toList();
    }

    @Override
    public List<PoisonCopy> find(String messageId, long bodyBytes) {
        return looks.alone(queue, browsed -> find(browsed, messageId, bodyBytes));
    }

    private List<PoisonCopy> find(BrowsedQueue browsed, String messageId, long bodyBytes) {
        PoisonReader reader = readers.get();
        List<PoisonCopy> copies = new ArrayList<>();
        long room = bodyBytes;
        Delivery delivery = null;
        for (int looked = 0;
                looked < MOST_SEARCHED && copies.size() < MOST_COPIES && (delivery = browsed.next()) != null;
                looked++) {
            WireMessage wire = delivery.message().message();
            if (messageId.equals(wire.messageId())) {
                PoisonReader.Copy copy = reader.read(wire, false);
                boolean fits = copy.body().length <= room && bodyBytes > 0;
                room -= fits ? copy.body().length : 0;
                copies.add(copy.told(fits));
            }
        }
        return List.copyOf(copies);
    }

    @Override
    public PoisonOperation replay(PoisonRequest request) {
        return begin(PoisonOperation.Kind.REPLAY, request, queue, new BackToItsQueue());
    }

    @Override
    public PoisonOperation discard(PoisonRequest request) {
        return begin(PoisonOperation.Kind.DISCARD, request, queue, AsItIs.discarded(node));
    }

    @Override
    public PoisonOperation restore(PoisonRequest request) {
        return begin(PoisonOperation.Kind.RESTORE, request, archive, AsItIs.restored(node));
    }

    private PoisonOperation begin(PoisonOperation.Kind kind, PoisonRequest request, String from, Treatment treatment) {
        ToldOperation operation = new ToldOperation(kind, request, timeline, details);
        operations.begin(
                operation,
                new MoveRun(
                        operation,
                        treatment,
                        from,
                        () -> looks.byTurns(from),
                        mover,
                        readers.get(),
                        timeline,
                        metrics));
        return operation;
    }

    @Override
    public PoisonOperation edit(PoisonEdit edit) {
        ToldOperation operation =
                new ToldOperation(PoisonOperation.Kind.EDIT, EditRun.request(edit), timeline, details);
        operations.run(operation, new EditRun(operation, edit, node, looks, sender, edits, events));
        return operation;
    }

    @Override
    public List<PoisonOperation> operations() {
        return operations.all();
    }

    /** Ends an operation that is running, before its next copy. */
    public void stop() {
        operations.stop();
    }
}
