// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.operations.NodeOperations;
import io.safebunny.operations.questions.Heard;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.saga.Sagas;
import io.safebunny.story.BunnyStory;
import io.safebunny.story.NodeStory;
import io.safebunny.story.Story;
import io.safebunny.story.exchange.Gathered;
import io.safebunny.story.exchange.PartJson;
import io.safebunny.story.exchange.SharedPart;
import io.safebunny.story.search.OwnPart;
import io.safebunny.time.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Tells the story of an id, as the nodes on the broker know it, and tells other nodes what this one knows. Thread-safe. */
public final class StoryTeller implements BunnyStory, NodeFeature {

    private static final int LONGEST_ID = 1024;

    /** What is known of a correlation id: some reads by keys. */
    static final String QUESTION = "story";

    /** What is known of any id: a search, which somebody has to ask for. */
    static final String SEARCH = "search";

    static final String UNABLE = "runs a version that cannot tell stories";

    /** How long the search for what an id is may take. */
    private static final Duration SEARCHED = Duration.ofSeconds(2);

    /** The same for another node, which does not wait for long. */
    private static final Duration SEARCHED_FOR_OTHERS = Duration.ofSeconds(1);

    /** For what comes after the search. */
    private static final Duration REST = Duration.ofMillis(300);

    /** After a search for others there is none for this times as long: nobody proves who asks. */
    private static final int PAUSES = 9;

    /** How long others are waited for: at first two seconds at most, then for those that have answered. */
    private static final Duration PATIENCE = Duration.ofMillis(4_500);

    private final OwnPart own;
    private final Node node;
    private final Nodes others;
    private final boolean shared;
    private volatile List<HandlerDefinition> handlers = List.of();
    private final Map<List<String>, CompletableFuture<Heard<SharedPart>>> open = new HashMap<>(); // guarded by itself
    private long searchesFrom; // used by one answer at a time

    /**
     * @param shared whether the other instances of this node read the same store
     * @param definitions the node's sagas; empty before the start
     * @param unbegun why messages of an order key may wait that nobody has begun: parts of sentences
     */
    public StoryTeller(
            Node node,
            NodeOperations operations,
            boolean shared,
            Sagas sagas,
            Supplier<List<SagaDefinition>> definitions,
            Function<String, List<String>> unbegun) {
        this.node = node;
        this.others = operations.nodes();
        this.shared = shared;
        this.own = new OwnPart(node, operations::instance, sagas, definitions, operations.moved(), unbegun);
        this.searchesFrom = node.timeline().nanoTime();
        others.answers(QUESTION, (id, within) -> {
            requireId(id);
            return PartJson.answer(id, own.ofCorrelation(id), shared);
        });
        others.answers(SEARCH, this::search);
    }

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    @Override
    public void startConsuming(List<HandlerDefinition> all) {
        handlers = List.copyOf(all);
    }

    private ObjectNode search(String id, Duration within) {
        requireId(id);
        long begun = node.timeline().nanoTime();
        if (begun - searchesFrom < 0) {
            NodeStory unsearched =
                    own.ofCorrelation(id, OwnPart.RECORDS, "searches for other nodes take a tenth of the time at most");
            return PartJson.answer(id, unsearched, shared);
        }
        Duration left = within.minus(REST);
        Duration atMost = left.compareTo(SEARCHED_FOR_OTHERS) < 0 ? left : SEARCHED_FOR_OTHERS;
        NodeStory part = own.of(id, handlers, atMost.isNegative() ? Duration.ZERO : atMost);
        long ended = node.timeline().nanoTime();
        searchesFrom = ended + PAUSES * (ended - begun);
        return PartJson.answer(id, part, shared);
    }

    private static void requireId(String id) {
        if (id.isBlank() || id.length() > LONGEST_ID || !Names.isUnicode(id)) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid id of a story [id=%s, length=%s]: it must have 1 to %s characters, not only spaces, and no half of a character. Use a correlation id, a message id or an idempotency key."
                            .formatted(Names.printable(id), id.length(), LONGEST_ID));
        }
    }

    @Override
    public Story of(String id) {
        requireId(id);
        Deadline deadline = Deadline.after(PATIENCE, node.timeline());
        CompletableFuture<Heard<SharedPart>> asked = ask(QUESTION, id, null);
        NodeStory part = own.ofCorrelation(id);
        Heard<SharedPart> heard = await(asked, deadline);
        Gathered found = gathered(part, heard);
        return told(id, found.isFound() ? found : searched(id, found, heard, deadline));
    }

    /** Others know a message that is not theirs by its correlation id only, so that is asked for once it is known. */
    private Gathered searched(String id, Gathered before, Heard<SharedPart> first, Deadline deadline) {
        CompletableFuture<Heard<SharedPart>> searching = ask(SEARCH, id, before.answered());
        NodeStory part = own(id);
        Heard<SharedPart> heard = Gathered.joined(first, await(searching, deadline));
        Gathered found = gathered(part, heard);
        String correlationId = found.leadsTo(id);
        if (correlationId == null || deadline.isOver()) {
            return found;
        }
        CompletableFuture<Heard<SharedPart>> asked = ask(QUESTION, correlationId, before.answered());
        NodeStory related = part.isEmpty() ? own.ofCorrelation(correlationId) : part;
        Heard<SharedPart> again = await(asked, deadline);
        Gathered all = gathered(related, Gathered.joined(heard, again));
        return again.problem() == null ? all.related() : all;
    }

    /** What this instance knows. */
    NodeStory own(String id) {
        return own.of(id, handlers, SEARCHED);
    }

    /** Whoever asks for an id while it is asked for shares the answers. */
    CompletableFuture<Heard<SharedPart>> ask(String question, String id, @Nullable Set<String> awaited) {
        List<String> key = List.of(question, id);
        CompletableFuture<Heard<SharedPart>> answers;
        synchronized (open) {
            CompletableFuture<Heard<SharedPart>> before = open.get(key);
            if (before != null) {
                return before;
            }
            answers = others.ask(question, id, awaited, PartJson::read, UNABLE);
            open.put(key, answers);
        }
        var unused = answers.whenComplete((heard, failure) -> {
            synchronized (open) {
                open.remove(key, answers);
            }
        });
        return answers;
    }

    private static Heard<SharedPart> await(CompletableFuture<Heard<SharedPart>> answers, Deadline deadline) {
        try {
            if (deadline.await(answers)) {
                return answers.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Heard<>("the answers did not come in time, or this instance stops", List.of());
    }

    Gathered gathered(NodeStory part, Heard<SharedPart> heard) {
        return Gathered.of(new SharedPart(part, shared), others.version(), heard);
    }

    Story told(String id, Gathered gathered) {
        Instant now = node.timeline().now(); // what was found has happened by now
        return Telling.of(id, now, gathered);
    }
}
