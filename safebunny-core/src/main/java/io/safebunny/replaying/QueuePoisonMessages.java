// SPDX-License-Identifier: Apache-2.0
package io.safebunny.replaying;

import io.safebunny.consuming.MessageInspector;
import io.safebunny.failure.MisuseException;
import io.safebunny.identity.RandomIds;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonGroup;
import io.safebunny.poison.PoisonList;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Replay;
import io.safebunny.poison.ReplayRequest;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.transport.BrowsedQueue;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.Transport;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reads the node's poison queue through the transport. Thread-safe. */
public final class QueuePoisonMessages implements PoisonMessages {

    private static final int LEAST_LOOKED_AT = 1_000;
    private static final int LOOKED_AT_PER_MATCH = 10;

    private final String queue;
    private final Transport transport;
    private final ConfirmedSender sender;
    private final Timeline timeline;
    private final Executor blocking;
    private final PoisonReader reader;
    private final AtomicReference<@Nullable QueueReplay> running = new AtomicReference<>();

    /**
     * @param inspectors of the queues that the node handles, by their names
     * @param store {@code null} when handled messages are not remembered
     * @param blocking runs each replay as one task
     */
    public QueuePoisonMessages(
            String node,
            Transport transport,
            ConfirmedSender sender,
            Timeline timeline,
            Executor blocking,
            Map<String, MessageInspector> inspectors,
            @Nullable MessageStore store) {
        this.queue = Topology.poisonOf(node);
        this.transport = transport;
        this.sender = sender;
        this.timeline = timeline;
        this.blocking = blocking;
        this.reader = new PoisonReader(inspectors, store);
    }

    @Override
    public PoisonList list(PoisonFilter filter) {
        int most = (int) Math.max(LEAST_LOOKED_AT, (long) filter.limit() * LOOKED_AT_PER_MATCH);
        List<PoisonedMessage> matching = new ArrayList<>();
        int scanned = 0;
        try (BrowsedQueue browsed = transport.browse(queue)) {
            long depth = browsed.depth();
            Delivery delivery = null;
            while (scanned < most && matching.size() < filter.limit() && (delivery = browsed.next()) != null) {
                scanned++;
                PoisonedMessage copy =
                        reader.read(delivery.message().message(), false).shown();
                if (filter.matches(copy)) {
                    matching.add(copy);
                }
            }
            return new PoisonList(depth, scanned, scanned < depth, groups(matching), matching);
        }
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
    public Replay replay(ReplayRequest request) {
        QueueReplay replay = new QueueReplay(
                RandomIds.next(timeline.random()), request, () -> transport.browse(queue), sender, reader, timeline);
        if (!running.compareAndSet(null, replay)) {
            QueueReplay other = running.get();
            throw new MisuseException(
                    MisuseException.POISON,
                    "Another replay runs on this instance [operation=%s]: wait for its end, or cancel it."
                            .formatted(other == null ? "just ended" : other.id()));
        }
        try {
            blocking.execute(() -> {
                try {
                    replay.run();
                } finally {
                    running.set(null);
                }
            });
        } catch (RuntimeException e) {
            running.set(null);
            throw e;
        }
        return replay;
    }

    /** Ends a replay that is running, before its next copy. */
    public void stop() {
        QueueReplay replay = running.get();
        if (replay != null) {
            replay.cancel();
        }
    }
}
