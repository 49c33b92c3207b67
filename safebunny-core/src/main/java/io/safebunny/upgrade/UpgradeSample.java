// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import io.safebunny.failure.MisuseException;
import io.safebunny.serialization.json.ExactTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What one version of an application has stored and takes, masked. Immutable, but for the trees in it.
 *
 * @param takenAt by the node's clock
 * @param handled types of messages that the node takes
 * @param published types of messages that the instance has published since its start
 * @param leftOut what is not in it, and why
 */
public record UpgradeSample(
        String node,
        String takenAt,
        List<Type> handled,
        List<Type> published,
        List<Saga> sagas,
        List<Message> messages,
        List<State> states,
        List<LeftOut> leftOut) {

    private static final int FORMAT = 1;

    private static final String ABOUT =
            "A sample of what is stored, with masked values: what is not in it may break all the same. UpgradeCheck of safebunny-test reads it.";

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    public UpgradeSample {
        handled = List.copyOf(handled);
        published = List.copyOf(published);
        sagas = List.copyOf(sagas);
        messages = List.copyOf(messages);
        states = List.copyOf(states);
        leftOut = List.copyOf(leftOut);
    }

    /**
     * A type of messages.
     *
     * @param version of the bodies of its class
     * @param payload name of its class
     * @param from nodes from which it is taken; empty for one that is only published
     */
    public record Type(String type, int version, String payload, List<String> from) {}

    /**
     * A class of sagas.
     *
     * @param version of its states
     * @param goesOnWith types of messages that a running saga takes
     * @param timeouts for which there is a method
     * @param running how many were found that have not ended
     * @param areAll whether those are all that there are
     * @param pending how many of them wait for a timeout, by its name
     * @param steps how many open steps they have, by the type of its command
     */
    public record Saga(
            String name,
            int version,
            List<String> goesOnWith,
            List<String> timeouts,
            int running,
            boolean areAll,
            Map<String, Integer> pending,
            Map<String, Integer> steps) {}

    /**
     * A stored message.
     *
     * @param id stands for its id
     * @param correlation stands for its correlation id
     * @param version of the body
     * @param source where it is
     */
    public record Message(String id, String correlation, String type, int version, String source, JsonNode body) {}

    /**
     * The state of a saga.
     *
     * @param id stands for its id
     * @param version of the state
     */
    public record State(String saga, String id, int version, String status, JsonNode state) {}

    /**
     * What is not in the sample.
     *
     * @param what a type, a saga or a place
     * @param why the end of a sentence
     * @param count how many; 0 if that is not known
     */
    public record LeftOut(String what, String why, long count) {}

    public String toJson() {
        ObjectNode root = NODES.objectNode();
        root.put("format", FORMAT);
        root.put("about", ABOUT);
        root.put("node", node);
        root.put("takenAt", takenAt);
        root.set("handled", array(handled, UpgradeSample::json));
        root.set("published", array(published, UpgradeSample::json));
        root.set("sagas", array(sagas, UpgradeSample::json));
        root.set("messages", array(messages, UpgradeSample::json));
        root.set("states", array(states, UpgradeSample::json));
        root.set("leftOut", array(leftOut, UpgradeSample::json));
        return ExactTree.write(root);
    }

    private static <T> ArrayNode array(List<T> all, Function<T, JsonNode> json) {
        ArrayNode array = NODES.arrayNode();
        all.forEach(one -> array.add(json.apply(one)));
        return array;
    }

    private static JsonNode json(Type type) {
        ObjectNode json = NODES.objectNode();
        json.put("type", type.type);
        json.put("version", type.version);
        json.put("payload", type.payload);
        json.set("from", array(type.from, NODES::stringNode));
        return json;
    }

    private static JsonNode json(Saga saga) {
        ObjectNode json = NODES.objectNode();
        json.put("name", saga.name);
        json.put("version", saga.version);
        json.set("goesOnWith", array(saga.goesOnWith, NODES::stringNode));
        json.set("timeouts", array(saga.timeouts, NODES::stringNode));
        json.put("running", saga.running);
        json.put("areAll", saga.areAll);
        json.set("pending", counts(saga.pending));
        json.set("steps", counts(saga.steps));
        return json;
    }

    private static ObjectNode counts(Map<String, Integer> counts) {
        ObjectNode json = NODES.objectNode();
        counts.forEach(json::put);
        return json;
    }

    private static JsonNode json(Message message) {
        ObjectNode json = NODES.objectNode();
        json.put("id", message.id);
        json.put("correlation", message.correlation);
        json.put("type", message.type);
        json.put("version", message.version);
        json.put("source", message.source);
        json.set("body", message.body);
        return json;
    }

    private static JsonNode json(State state) {
        ObjectNode json = NODES.objectNode();
        json.put("saga", state.saga);
        json.put("id", state.id);
        json.put("version", state.version);
        json.put("status", state.status);
        json.set("state", state.state);
        return json;
    }

    private static JsonNode json(LeftOut out) {
        ObjectNode json = NODES.objectNode();
        json.put("what", out.what);
        json.put("why", out.why);
        json.put("count", out.count);
        return json;
    }

    /** @throws MisuseException SB-5001 if it is no sample, or one of a newer version of SafeBunny */
    public static UpgradeSample read(String json) {
        JsonNode root = tree(json);
        if (root.path("format").asInt(0) != FORMAT || !root.path("handled").isArray()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "This is no sample that this version of SafeBunny can read. Use the answer of GET safebunny/upgrade, unchanged, and a version of safebunny-test that is not older than the node's.");
        }
        return new UpgradeSample(
                text(root, "node"),
                text(root, "takenAt"),
                list(root, "handled", UpgradeSample::type),
                list(root, "published", UpgradeSample::type),
                list(root, "sagas", UpgradeSample::saga),
                list(
                        root,
                        "messages",
                        one -> new Message(
                                text(one, "id"),
                                text(one, "correlation"),
                                text(one, "type"),
                                number(one, "version"),
                                text(one, "source"),
                                one.path("body"))),
                list(
                        root,
                        "states",
                        one -> new State(
                                text(one, "saga"),
                                text(one, "id"),
                                number(one, "version"),
                                text(one, "status"),
                                one.path("state"))),
                list(root, "leftOut", one -> new LeftOut(text(one, "what"), text(one, "why"), number(one, "count"))));
    }

    private static JsonNode tree(String json) {
        try {
            return ExactTree.read(json);
        } catch (JacksonException e) {
            return MissingNode.getInstance();
        }
    }

    private static Type type(JsonNode json) {
        return new Type(text(json, "type"), number(json, "version"), text(json, "payload"), texts(json, "from"));
    }

    private static Saga saga(JsonNode json) {
        return new Saga(
                text(json, "name"),
                number(json, "version"),
                texts(json, "goesOnWith"),
                texts(json, "timeouts"),
                number(json, "running"),
                json.path("areAll").asBoolean(false),
                numbers(json, "pending"),
                numbers(json, "steps"));
    }

    private static Map<String, Integer> numbers(JsonNode json, String name) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        json.path(name)
                .properties()
                .forEach(one -> numbers.put(one.getKey(), one.getValue().asInt(0)));
        return numbers;
    }

    private static List<String> texts(JsonNode json, String name) {
        return list(json, name, one -> one.asString(""));
    }

    private static <T> List<T> list(JsonNode json, String name, Function<JsonNode, T> read) {
        List<T> all = new ArrayList<>();
        json.path(name).forEach(one -> all.add(read.apply(one)));
        return all;
    }

    private static String text(JsonNode json, String name) {
        return json.path(name).asString("");
    }

    private static int number(JsonNode json, String name) {
        return json.path(name).asInt(0);
    }
}
