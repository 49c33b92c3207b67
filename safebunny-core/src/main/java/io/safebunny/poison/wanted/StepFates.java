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
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Asks the nodes of sagas what became of their steps, many at once, and answers for the sagas of this one. Thread-safe. */
public final class StepFates {

    static final String QUESTION = "steps";

    /** Of one question; those that fit into it and its answer. */
    public static final int MOST = 50;

    private static final String UNABLE = "runs a version that cannot say so";
    private static final String STEPS = "steps";

    /** Longer than a round of questions lasts. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** An instance that is busy has time again after a second. */
    private static final Duration BUSY = Duration.ofSeconds(1);

    private static final int TRIES = 3;

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
        Deadline deadline = Deadline.after(within, node.timeline());
        MessageStore store = node.requireStore();
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode steps = answer.putArray(STEPS);
        about.lines()
                .skip(1) // the name of this node
                .limit(MOST)
                .takeWhile(line -> !deadline.isOver())
                .map(line -> line.split(" ", -1))
                .filter(ids -> ids.length == 2 && Names.isCorrelationId(ids[0]) && Names.isMessageId(ids[1]))
                .forEach(ids -> {
                    ObjectNode step = steps.addObject().put("command", ids[1]);
                    StepFate fate = own(new StepMessage(node.name(), ids[0], ids[1], false), store::find);
                    if (fate != null) {
                        fate.writeTo(step);
                    }
                });
        return answer;
    }

    /**
     * What came of a question to one node.
     *
     * @param problem why it has not answered, for humans; {@code null} if it has
     * @param fates what it said, by id of the command; empty for a step that no saga of the node knows, or of which it says what this version
     *     cannot read
     */
    record Said(@Nullable String problem, Map<String, Known> fates) {}

    /** @param fate {@code null} if no saga of the node knows the step, or this version cannot read what it says */
    record Known(@Nullable StepFate fate) {}

    /** Blocks for some seconds at most. */
    Said ask(String asked, List<StepMessage> steps) {
        String about = asked
                + steps.stream()
                        .map(step -> "\n%s %s".formatted(step.sagaId(), step.command()))
                        .collect(Collectors.joining());
        Said said = null;
        try {
            for (int tries = 0; tries < TRIES && (said == null || said.problem != null); tries++) {
                if (tries > 0) {
                    node.timeline().sleep(BUSY);
                }
                Heard<Map<String, Known>> heard = askOnce(asked, about);
                said = said(asked, heard);
                if (heard.instances().stream().noneMatch(One::isBusy)) {
                    return said;
                }
            }
            return Objects.requireNonNull(said);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Said("this instance stops", Map.of());
        }
    }

    private Heard<Map<String, Known>> askOnce(String asked, String about) throws InterruptedException {
        var answers = nodes.askNamed(asked, QUESTION, about, StepFates::read, UNABLE);
        return Deadline.after(PATIENCE, node.timeline()).await(answers)
                ? answers.join()
                : new Heard<>(
                        "it was not asked in time, because this instance stops or has no thread for it", List.of());
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
            fates.put(step.path("command").asString(""), new Known(StepFate.read(step)));
        }
        return fates;
    }
}
