// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.identity.RandomIds;
import io.safebunny.node.Node;
import io.safebunny.operations.questions.Neighbours.Neighbour;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Cancellable;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Asks all instances on the broker, and collects their replies. Thread-safe. */
final class Questions {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** How long replies are waited for. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** How long a round lasts at least, because there may be nodes that this instance does not know of. */
    static final Duration AT_LEAST = Duration.ofMillis(300);

    /** The same for the first round, before which it knows of none. */
    static final Duration FIRST_AT_LEAST = Duration.ofSeconds(1);

    /** How long a reply that comes too late is still read: it tells that the instance runs. */
    private static final Duration LATE = Duration.ofSeconds(5);

    static final int MOST_OPEN = 20;

    /** Per round. Any replies beyond it are probably forged. */
    static final int MOST_REPLIES = 1_000;

    /** Per round. Of replies beyond it only their senders are kept. */
    static final int MOST_BYTES = 4 * 1024 * 1024;

    /** Why there is no answer of an instance that answered beyond {@link #MOST_BYTES}. */
    static final String LEFT_OUT = "left out";

    private static final int ID_LENGTH = 8;

    private final Timeline timeline;
    private final Executor workers;
    private final Sender self;
    private final OfInstance address;
    private final Neighbours neighbours;
    /** Held while a reply is read, so that a flood of large ones takes the memory of one. */
    private final Object reading = new Object();

    private final Map<String, Open<?>> open = new HashMap<>(); // guarded by this, as is what it holds
    private final Map<String, Long> ended = new LinkedHashMap<>(); // guarded by this
    private boolean askedBefore; // guarded by this
    private volatile ControlChannel control = ControlChannel.none();

    /** @param address where this instance listens for replies */
    Questions(Node node, Sender self, OfInstance address, Neighbours neighbours) {
        this.timeline = node.timeline();
        this.workers = node.workers();
        this.self = self;
        this.address = address;
        this.neighbours = neighbours;
    }

    /**
     * What one instance replied.
     *
     * @param v version of the questions that it speaks
     * @param answer {@code null} if there is none
     * @param refused why there is none, in a word; {@code null} if it did not say
     */
    record Told<A>(
            Sender from,
            int v,
            @Nullable A answer,
            @Nullable String refused) {}

    /**
     * What came of a question.
     *
     * @param problem why instances could not be asked or heard; {@code null} if they could, as far as is known
     * @param replies at most one of each instance, without this one
     */
    record Round<A>(@Nullable String problem, List<Told<A>> replies) {}

    private static final class Open<A> {
        private final Function<ObjectNode, @Nullable A> reader;
        private final Set<String> instances;
        private final Set<String> nodes;
        private final Map<String, Told<A>> replies = new TreeMap<>();
        private final CompletableFuture<Round<A>> round = new CompletableFuture<>();
        private boolean sent;
        private boolean longEnough;
        private int bytes;

        /** @param instances those that are awaited, like the nodes */
        private Open(Function<ObjectNode, @Nullable A> reader, Set<String> instances, Set<String> nodes) {
            this.reader = reader;
            this.instances = instances;
            this.nodes = new HashSet<>(nodes);
        }

        private void take(Reply reply, int size) {
            Sender from = reply.from();
            if (replies.size() >= MOST_REPLIES || replies.containsKey(from.instance())) {
                return;
            }
            boolean fits = bytes + size <= MOST_BYTES;
            bytes += fits ? size : 0;
            ObjectNode answer = fits ? reply.answer() : null;
            replies.put(
                    from.instance(),
                    new Told<>(
                            from,
                            reply.v(),
                            answer == null ? null : reader.apply(answer),
                            fits ? reply.refused() : LEFT_OUT));
            nodes.remove(from.node());
        }

        private boolean isComplete() {
            return sent && longEnough && nodes.isEmpty() && replies.keySet().containsAll(instances);
        }

        private void end(@Nullable String problem) {
            round.complete(new Round<>(problem, List.copyOf(replies.values())));
        }
    }

    void join(ControlChannel channel) {
        control = channel;
    }

    void stop() {
        List<String> ids;
        synchronized (this) {
            ids = List.copyOf(open.keySet());
        }
        ids.forEach(id -> end(id, "this instance is stopping"));
    }

    /**
     * Does not block: the question is sent on a worker.
     *
     * @param what the name of the question
     * @param about what it is about; empty if about nothing in particular
     * @param nodes that should answer, besides the instances
     * @param awaited names of the instances that should answer; {@code null} for those heard within a day
     * @param reader takes what is needed of an answer, or gives {@code null} if it cannot be read; must be quick
     * @return completes within two seconds: as soon as those that should answer have done so, but not at once, unless only nodes that are
     *     named should
     */
    <A> CompletableFuture<Round<A>> ask(
            String what,
            String about,
            Set<String> nodes,
            @Nullable Set<String> awaited,
            Function<ObjectNode, @Nullable A> reader) {
        String id = "q-" + RandomIds.next(timeline.random()).substring(0, ID_LENGTH);
        Set<String> instances = awaited != null
                ? awaited
                : neighbours.all().stream()
                        .map(Neighbour::who)
                        .map(Sender::instance)
                        .collect(Collectors.toSet());
        Open<A> asked = new Open<>(reader, instances, nodes);
        Duration atLeast;
        synchronized (this) {
            if (open.size() >= MOST_OPEN) {
                return CompletableFuture.completedFuture(
                        new Round<>("%s questions are open already: ask again".formatted(MOST_OPEN), List.of()));
            }
            open.put(id, asked);
            boolean isForNamed = awaited != null && !nodes.isEmpty();
            asked.longEnough = isForNamed;
            atLeast = askedBefore || isForNamed ? AT_LEAST : FIRST_AT_LEAST;
            askedBefore |= !isForNamed;
        }
        Cancellable least = timeline.schedule(Purpose.UPKEEP, atLeast, () -> lastedLongEnough(id));
        Cancellable most = timeline.schedule(Purpose.UPKEEP, PATIENCE, () -> lastedTooLong(id));
        CompletableFuture<Round<A>> round = asked.round.whenComplete((done, failure) -> {
            least.cancel();
            most.cancel();
        });
        byte[] question = new Question(Question.VERSION, self, address, id, what, about).write(JSON);
        try {
            workers.execute(() -> tell(id, question));
        } catch (RejectedExecutionException e) {
            end(id, "this instance is stopping");
        }
        return round;
    }

    private void tell(String id, byte[] question) {
        if (!isOpen(id)) {
            return;
        }
        CompletableFuture<Void> unused = control.tell(new Everyone(), question).whenComplete((none, failure) -> {
            String deaf = control.problem(address);
            if (failure != null) {
                end(id, "could not ask: " + because(failure));
            } else if (deaf != null) {
                end(id, "could not hear the answers: " + deaf);
            } else {
                note(id, asked -> asked.sent = true);
            }
        });
    }

    private synchronized boolean isOpen(String id) {
        return open.containsKey(id);
    }

    private String because(Throwable failure) {
        String known = control.problem(new Everyone());
        return known == null ? failure.getClass().getSimpleName() : known;
    }

    private void lastedLongEnough(String id) {
        note(id, asked -> asked.longEnough = true);
    }

    private void lastedTooLong(String id) {
        boolean sent;
        synchronized (this) {
            Open<?> asked = open.get(id);
            sent = asked != null && asked.sent;
        }
        end(id, sent ? null : "could not ask: the question was not sent within %s s".formatted(PATIENCE.toSeconds()));
    }

    private void note(String id, Consumer<Open<?>> change) {
        synchronized (this) {
            Open<?> asked = open.get(id);
            if (asked == null) {
                return;
            }
            change.accept(asked);
        }
        endIfComplete(id);
    }

    private void endIfComplete(String id) {
        synchronized (this) {
            Open<?> asked = open.get(id);
            if (asked == null || !asked.isComplete()) {
                return;
            }
        }
        end(id, null);
    }

    private void end(String id, @Nullable String problem) {
        Open<?> asked;
        synchronized (this) {
            asked = open.remove(id);
            if (asked != null) {
                forgetLongEnded();
                ended.put(id, timeline.nanoTime());
            }
        }
        if (asked != null) {
            asked.end(problem);
        }
    }

    /** Does not block for long. */
    void heard(byte[] bytes) {
        if (!expectsReplies()) {
            return;
        }
        String complete;
        synchronized (reading) {
            Reply reply = Reply.parse(bytes, JSON);
            if (reply == null || reply.from().instance().equals(self.instance()) || !take(reply, bytes.length)) {
                return;
            }
            complete = reply.question();
        }
        endIfComplete(complete);
    }

    private synchronized boolean expectsReplies() {
        forgetLongEnded();
        return !open.isEmpty() || !ended.isEmpty();
    }

    private void forgetLongEnded() {
        long now = timeline.nanoTime();
        ended.values().removeIf(at -> now - at > LATE.toNanos());
    }

    /** Whether it is a reply to a question that is still open. */
    private synchronized boolean take(Reply reply, int size) {
        Open<?> asked = open.get(reply.question());
        if (asked == null && !ended.containsKey(reply.question())) {
            return false;
        }
        if (!Reply.NOBODY.equals(reply.refused())) { // who answers nobody is not waited for, and does not say goodbye
            neighbours.heard(reply.from());
        }
        if (asked != null) {
            asked.take(reply, size);
        }
        return asked != null;
    }
}
