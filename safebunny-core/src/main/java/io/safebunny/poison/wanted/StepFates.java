// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.wanted;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.operations.questions.Heard;
import io.safebunny.operations.questions.Heard.One;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Asks the nodes of sagas what became of their steps, many at once, and answers for the sagas of this one. Thread-safe. */
public final class StepFates {

    private static final Logger LOG = LoggerFactory.getLogger(StepFates.class);

    static final String QUESTION = "steps";

    /** Of one question. */
    static final int MOST = 128;

    private static final String UNABLE = "its version cannot: upgrade it, or look at the saga there";
    private static final String STEPS = "steps";
    private static final String STEP = "of";

    /** What an answer leaves of its time, for its last look into the store and its way back. */
    private static final Duration REST = Duration.ofMillis(400);

    /** Longer than a round of questions lasts. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** An instance that is busy has time again after a second. */
    private static final Duration BUSY = Duration.ofSeconds(1);

    private static final int TRIES = 5;

    private static final String NOT_ASKED =
            "it was not asked in time, because this instance stops or has no thread for it";
    private static final String STOPS = "this instance stops";

    private final Node node;
    private final Nodes nodes;
    private final Supplier<List<SagaDefinition>> definitions;

    /** @param definitions the sagas of the node; empty before the start */
    public StepFates(Node node, Nodes nodes, Supplier<List<SagaDefinition>> definitions) {
        this.node = node;
        this.nodes = nodes;
        this.definitions = definitions;
        nodes.answersNamed(QUESTION, this::answer);
    }

    /** For one pass over a queue. */
    public AskedFates pass() {
        return new AskedFates(this);
    }

    Timeline timeline() {
        return node.timeline();
    }

    /** Whether the saga of the message is one of this node. */
    boolean isOwn(StepMessage message) {
        return message.node().equals(node.name());
    }

    /**
     * What a saga of this node knows of the step; {@code null} if there is none.
     *
     * @param stored finds the record of a saga
     */
    @Nullable
    StepFate own(StepMessage message, Function<RecordKey, @Nullable MessageRecord> stored) {
        for (SagaDefinition saga : definitions.get()) {
            MessageRecord found = stored.apply(SagaDocument.key(saga.name(), message.sagaId()));
            StepFate fate = found == null
                    ? null
                    : SagaDocument.ifReadable(saga.name(), found)
                            .map(document -> StepFate.of(document, message))
                            .orElse(null);
            if (fate != null) {
                return fate;
            }
        }
        return null;
    }

    private ObjectNode answer(String about, Duration within) {
        Duration half = within.dividedBy(2);
        Deadline deadline = Deadline.after(within.minus(half.compareTo(REST) < 0 ? half : REST), node.timeline());
        MessageStore store = node.requireStore();
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode steps = answer.putArray(STEPS);
        about.lines()
                .skip(1) // the name of this node
                .limit(MOST)
                .takeWhile(line -> !deadline.isOver())
                .map(line -> line.split(" ", -1))
                .filter(ids -> ids.length == 2 && Names.isCorrelationId(ids[0]) && Names.isMessageId(ids[1]))
                .map(ids -> new StepMessage(node.name(), ids[0], ids[1], false))
                .forEach(asked -> {
                    ObjectNode step = steps.addObject().put(STEP, asked.line());
                    StepFate fate = own(asked, key -> readable(store, key));
                    if (fate != null) {
                        fate.writeTo(step);
                    }
                });
        return answer;
    }

    /** One record of a newer version says nothing of the others. */
    private static @Nullable MessageRecord readable(MessageStore store, RecordKey key) {
        try {
            return store.find(key);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }

    /**
     * What came of a question to one node.
     *
     * @param problem why it has not answered, for humans; {@code null} if it has
     * @param fates what it said, by {@link StepMessage#line}; without those for which it had no time
     */
    record Said(@Nullable String problem, Map<String, Known> fates) {}

    /** @param fate {@code null} if no saga of the node knows the step, or this version cannot read what it says */
    record Known(@Nullable StepFate fate) {}

    /** As many of the first ones as fit into one question. */
    static List<StepMessage> first(String asked, List<StepMessage> steps) {
        int length = asked.length();
        int fit = 0;
        while (fit < Math.min(MOST, steps.size())) {
            length += 1 + steps.get(fit).line().length();
            if (length > Nodes.LONGEST_ABOUT) {
                break;
            }
            fit++;
        }
        return steps.subList(0, fit);
    }

    /**
     * Asks these nodes, all at once, and again those that are busy. Blocks for some seconds at most.
     *
     * @param steps of each node, those of one question
     * @return what each of them said
     */
    Map<String, Said> ask(Map<String, List<StepMessage>> steps) {
        Map<String, Said> said = new HashMap<>();
        Set<String> left = new TreeSet<>(steps.keySet());
        try {
            for (int tries = 0; tries < TRIES && !left.isEmpty(); tries++) {
                if (tries > 0) {
                    node.timeline().sleep(BUSY);
                }
                Map<String, CompletableFuture<Heard<Map<String, Known>>>> asked = new HashMap<>();
                left.forEach(name -> asked.put(name, begin(name, Objects.requireNonNull(steps.get(name)))));
                Deadline patience = Deadline.after(PATIENCE, node.timeline());
                for (var one : asked.entrySet()) {
                    Heard<Map<String, Known>> heard =
                            patience.await(one.getValue()) ? one.getValue().join() : new Heard<>(NOT_ASKED, List.of());
                    Said answer = said(one.getKey(), heard);
                    said.put(one.getKey(), answer);
                    if (answer.problem == null || heard.instances().stream().noneMatch(One::isBusy)) {
                        left.remove(one.getKey());
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            left.forEach(name -> said.put(name, new Said(STOPS, Map.of())));
        }
        return said;
    }

    private CompletableFuture<Heard<Map<String, Known>>> begin(String asked, List<StepMessage> steps) {
        String about = asked + steps.stream().map(step -> '\n' + step.line()).collect(Collectors.joining());
        try {
            return nodes.askNamed(asked, QUESTION, about, StepFates::read, UNABLE);
        } catch (RuntimeException e) { // the timer takes nothing more
            LOG.debug("Could not ask node {}", asked, e);
            return CompletableFuture.completedFuture(new Heard<>(NOT_ASKED, List.of()));
        }
    }

    private static Said said(String asked, Heard<Map<String, Known>> heard) {
        List<String> notes = new ArrayList<>();
        for (One<Map<String, Known>> one : heard.instances()) {
            if (one.answer() != null) {
                return new Said(null, one.answer());
            } else if (one.note() != null) {
                notes.add(one.note());
            }
        }
        String problem = heard.problem();
        return new Said(
                problem != null ? problem : notes.isEmpty() ? "nobody is known of " + asked : notes.get(0), Map.of());
    }

    private static @Nullable Map<String, Known> read(ObjectNode answer) {
        if (!answer.path(STEPS).isArray()) {
            return null;
        }
        Map<String, Known> fates = new HashMap<>();
        for (JsonNode step : answer.path(STEPS)) {
            fates.put(step.path(STEP).asString(""), new Known(StepFate.read(step)));
        }
        return fates;
    }
}
