// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.bodies.BodyReference;
import io.safebunny.consuming.ConsumePipelineFactory;
import io.safebunny.dedup.claim.LeaseWatch;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Encodings;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.operations.MovedCopies;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonList;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.elsewhere.OtherOperations;
import io.safebunny.poison.elsewhere.PoisonDepth;
import io.safebunny.poison.elsewhere.SetAside;
import io.safebunny.poison.elsewhere.SetAsideWatch;
import io.safebunny.poison.wanted.StepFates;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.store.MessageStore;
import io.safebunny.topology.Topology;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.validation.MessageInspector;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the node's poison queue, and its archive, through the transport. Thread-safe. */
public final class QueuePoisonMessages implements PoisonMessages, NodeFeature {

    private static final int LEAST_LOOKED_AT = 1_000;
    private static final int LOOKED_AT_PER_MATCH = 10;
    private static final int MOST_SEARCHED = 100_000;
    private static final int MOST_COPIES = 100;

    private final Node node;
    private final ConsumePipelineFactory pipelines;
    private final StepFates fates;
    private final String queue;
    private final String archive;
    private final Browsing browsing;
    private final LeaseWatch leases;
    private final ReplayAge ages;
    private final OperationQueue operations;
    private final CopyMover mover;
    private final PoisonDepth depth;
    private final OtherOperations others;
    private final SetAsideWatch watch;
    private final Consumer<WireMessage> discarding;
    /**
     * The inspectors of the queues that the node handles, by name of the queue; {@code null} before the start, or if the node handles
     * nothing.
     */
    private volatile @Nullable Map<String, MessageInspector> inspectors;

    private volatile Map<String, HandlerDefinition> handled = Map.of();

    /**
     * @param nodes asks the other instances, and answers them
     * @param fates tells what sagas know of the steps to which copies belong
     * @param pipelines makes the inspectors that read messages as their queues do
     * @param moved remembers what was moved
     * @param discarding told of each copy before it is discarded
     */
    public QueuePoisonMessages(
            Node node,
            Nodes nodes,
            StepFates fates,
            ConsumePipelineFactory pipelines,
            MovedCopies moved,
            Consumer<WireMessage> discarding) {
        this.discarding = discarding;
        this.node = node;
        this.pipelines = pipelines;
        this.fates = fates;
        this.queue = Topology.poisonOf(node.name());
        this.archive = Topology.archiveOf(node.name());
        this.browsing = new Browsing(node.transport());
        this.leases = new LeaseWatch(node.timeline());
        this.ages = new ReplayAge(
                node.timeline(), node.options().retention(), node.options().poisonRetention());
        this.operations = new OperationQueue(node.workers());
        this.mover = new CopyMover(node, moved);
        this.depth = new PoisonDepth(node.name(), node.transport(), browsing::quiet, node.timeline(), node.workers());
        this.others = new OtherOperations(node, nodes, () -> browsing.shared(operations.shared()));
        this.watch = new SetAsideWatch(node, others, depth, browsing::quiet);
    }

    /** For who looks at all copies. */
    public WholeQueue whole() {
        return new WholeQueue(browsing, others, operations, queue, archive);
    }

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    @Override
    public void startConsuming(List<HandlerDefinition> handlers) {
        if (handlers.isEmpty()) {
            return;
        }
        node.metrics().poisonDepth(node.name(), depth);
        node.metrics().registerReplays();
        Set<String> types = handlers.stream().map(HandlerDefinition::type).collect(Collectors.toUnmodifiableSet());
        handled = handlers.stream().collect(Collectors.toUnmodifiableMap(HandlerDefinition::type, handler -> handler));
        Map<String, MessageInspector> byQueue = new HashMap<>();
        for (HandlerDefinition handler : handlers) {
            MessageInspector inspector = pipelines.inspector(handler, types);
            String address = Names.address(node.name(), handler.type());
            byQueue.put(address, inspector);
            byQueue.put(Topology.orderedOf(address), inspector); // a type may have been switched since
        }
        inspectors = Map.copyOf(byQueue);
    }

    /** Cancels a running operation, which ends before its next copy. */
    @Override
    public void stopConsuming() {
        operations.stop();
        depth.stop();
        watch.stop();
    }

    /**
     * The messages that are set aside, as far as the broker and the other instances have said lately, and which operations hold some of them.
     * Never waits: the first reader, and the first after ten minutes without any, is told that nobody knows yet.
     */
    public SetAside setAside() {
        TrackedOperation running = operations.running();
        SetAside known = inspectors == null ? SetAside.UNKNOWN : watch.get();
        return running == null ? known : known.whileRuns(running.shared());
    }

    @Override
    public OtherInstances atOtherInstances() {
        return others.told();
    }

    /** The same for who looks again and again: what was said within the last minute, at once, while the others are asked anew. */
    public OtherInstances lastKnownOfOthers() {
        return others.toldLately();
    }

    private Map<String, MessageInspector> requireInspectors() {
        Map<String, MessageInspector> present = inspectors;
        if (present == null) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "There is no poison queue [node=%s]: the node handles nothing, or has not started yet. Add a handler, or wait for the start."
                            .formatted(node.name()));
        }
        return present;
    }

    /** What the node reads messages of the type as; {@code null} if it handles none. */
    public @Nullable Type payloadOf(String type) {
        HandlerDefinition handler = handled.get(type);
        return handler == null ? null : handler.payloadType();
    }

    /** A node from which messages of the type are taken; empty if the node handles none. */
    private String senderOf(@Nullable String type) {
        HandlerDefinition handler = type == null ? null : handled.get(type);
        return handler == null || handler.from().isEmpty() ? "" : handler.from().get(0);
    }

    private PoisonReader reader() {
        MessageStore store = node.store();
        return new PoisonReader(
                requireInspectors(),
                store == null ? null : new StoredRecords(store, node.timeline(), leases),
                ages,
                fates.pass(),
                node.details());
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
        return browsing.alone(from, browsed -> list(browsed, filter));
    }

    private PoisonList list(BrowsedQueue browsed, PoisonFilter filter) {
        int most = (int) Math.max(LEAST_LOOKED_AT, (long) filter.limit() * LOOKED_AT_PER_MATCH);
        PoisonReader reader = reader();
        BrowsedQueue ahead = reader.ahead(browsed, filter, filter.limit());
        List<PoisonedMessage> matching = new ArrayList<>();
        int scanned = 0;
        Delivery delivery = null;
        while (scanned < most && matching.size() < filter.limit() && (delivery = ahead.next()) != null) {
            scanned++;
            WireMessage wire = delivery.message().message();
            PoisonedMessage shown =
                    reader.matches(wire, filter) ? reader.read(wire, false).shown() : null;
            if (shown != null && filter.matches(shown)) {
                matching.add(shown.withoutHeaders());
            }
        }
        long depth = scanned + ahead.waiting();
        return new PoisonList(
                depth, scanned, scanned < depth, CopyGroups.of(matching).told().groups(), matching);
    }

    /**
     * A copy and what its sender wrote of itself, unchecked.
     *
     * @param from name of its node; if it has not written it, of one from which the type is taken; empty if there is none
     * @param encoded the copy as it is in the queue, if its body could not be read and is still encoded; otherwise {@code null}
     */
    public record Found(
            PoisonCopy copy,
            String from,
            String contentType,
            @Nullable WireMessage encoded,
            int version) {

        /** With its body as JSON, if its format can be shown as JSON and is not. */
        private Found shownBy(Serializers serializers) {
            byte[] body = copy.body();
            byte[] json = body == null || encoded != null ? null : serializers.toJson(body, contentType);
            return json == null
                    ? this
                    : new Found(
                            new PoisonCopy(copy.message(), json, copy.record()),
                            from,
                            Serializers.JSON_TYPE,
                            null,
                            version);
        }
    }

    @Override
    public List<PoisonCopy> find(String messageId, long bodyBytes) {
        return found(messageId, bodyBytes).stream().map(Found::copy).toList();
    }

    /** Like {@link #find}. */
    public List<Found> found(String messageId, long bodyBytes) {
        return browsing.alone(queue, browsed -> found(browsed, messageId, bodyBytes));
    }

    private List<Found> found(BrowsedQueue browsed, String messageId, long bodyBytes) {
        PoisonReader reader = reader();
        PoisonFilter asShown = PoisonFilter.all().withMessageId(messageId); // a foreign id may be shown shortened
        List<Found> copies = new ArrayList<>();
        long room = bodyBytes;
        Delivery delivery = null;
        for (int looked = 0;
                looked < MOST_SEARCHED && copies.size() < MOST_COPIES && (delivery = browsed.next()) != null;
                looked++) {
            WireMessage wire = delivery.message().message();
            if (messageId.equals(wire.messageId()) || reader.matches(wire, asShown)) {
                PoisonReader.Copy copy = reader.read(wire, false);
                boolean fits = copy.body().length <= room && bodyBytes > 0;
                room -= fits ? copy.body().length : 0;
                Found found = new Found(
                        copy.told(fits, node.details()),
                        Objects.requireNonNullElseGet(wire.appId(), () -> senderOf(wire.type())),
                        Objects.requireNonNullElse(wire.contentType(), ""),
                        isEncoded(wire, copy.body()) ? wire : null,
                        Headers.version(wire.headers()));
                copies.add(found.shownBy(node.parts().serializers()));
            }
        }
        return List.copyOf(copies);
    }

    private static boolean isEncoded(WireMessage wire, byte[] body) {
        return body == wire.body()
                && (!Encodings.of(wire.contentEncoding()).isEmpty() || BodyReference.isIn(wire.headers()));
    }

    /**
     * Copies at the head of the queue, as they are.
     *
     * @param scanned how many were looked at for it
     * @param waiting how many are behind these
     * @param whyNotAll why there may be others, which another instance holds, as a part of a sentence; {@code null} if there are none
     */
    public record Head(
            List<WireMessage> copies,
            int scanned,
            long waiting,
            @Nullable String whyNotAll) {}

    /**
     * Takes nothing out of the queue. Asks the other instances, so it may block for some seconds.
     *
     * @param most how many to look at
     */
    public Head head(int most, Predicate<WireMessage> wanted) {
        Map<String, MessageInspector> unused = requireInspectors();
        List<Head> seen = new ArrayList<>();
        String whyNotAll = others.whyNotAll(() -> {
            seen.add(browsedHead(most, wanted));
            return null;
        });
        Head head = seen.isEmpty() ? browsedHead(most, wanted) : seen.get(0);
        return new Head(head.copies, head.scanned, head.waiting, whyNotAll);
    }

    private Head browsedHead(int most, Predicate<WireMessage> wanted) {
        return browsing.alone(queue, browsed -> {
            List<WireMessage> copies = new ArrayList<>();
            int scanned = 0;
            Delivery delivery = null;
            while (scanned < most && (delivery = browsed.next()) != null) {
                scanned++;
                WireMessage wire = delivery.message().message();
                if (wanted.test(wire)) {
                    copies.add(wire);
                }
            }
            return new Head(List.copyOf(copies), scanned, browsed.waiting(), null);
        });
    }

    @Override
    public PoisonOperation replay(PoisonRequest request) {
        return begin(PoisonOperation.Kind.REPLAY, request, queue, CopyRule.replay(request));
    }

    @Override
    public PoisonOperation discard(PoisonRequest request) {
        return begin(PoisonOperation.Kind.DISCARD, request, queue, CopyRule.discard(node.name(), discarding));
    }

    @Override
    public PoisonOperation restore(PoisonRequest request) {
        return begin(PoisonOperation.Kind.RESTORE, request, archive, CopyRule.restore(node.name()));
    }

    private PoisonOperation begin(PoisonOperation.Kind kind, PoisonRequest request, String from, CopyRule rule) {
        TrackedOperation operation = operation(kind, request);
        operations.begin(operation, new MoveRun(operation, rule, () -> browsing.byTurns(from), mover, reader()));
        return operation;
    }

    private TrackedOperation operation(PoisonOperation.Kind kind, PoisonRequest request) {
        return new TrackedOperation(
                kind, request, node.timeline(), node.options().exceptionDetails());
    }

    @Override
    public PoisonOperation edit(PoisonEdit edit) {
        TrackedOperation operation = operation(PoisonOperation.Kind.EDIT, EditRun.request(edit));
        Edits edits =
                new Edits(reader(), node.store(), node.timeline(), node.parts().serializers());
        operations.run(operation, new EditRun(node, operation, edit, browsing, edits));
        return operation;
    }

    @Override
    public List<PoisonOperation> operations() {
        Map<String, MessageInspector> unused = requireInspectors();
        return operations.all();
    }
}
