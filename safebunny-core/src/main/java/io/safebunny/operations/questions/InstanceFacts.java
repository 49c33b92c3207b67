// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.message.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What an instance says of itself. All texts are as it wrote them, made printable and shortened; those it left out are empty. Immutable.
 *
 * @param uptime ISO 8601, such as {@code PT3H2M}
 * @param store class of the store, or {@code none}
 * @param types what the node handles
 * @param notClosed the circuit breakers that are not closed
 * @param cut whether the lists are shortened
 */
public record InstanceFacts(
        String uptime, String store, List<HandledType> types, List<NotClosed> notClosed, boolean cut) {

    private static final int LONGEST_REASON = 500;

    /** Of types, and of breakers. */
    static final int MOST = 1_000;

    /** Of the nodes that one type is taken from. */
    private static final int MOST_FROM = 100;

    /**
     * A type that the node handles.
     *
     * @param from nodes that publish it
     */
    public record HandledType(String type, List<String> from) {}

    /**
     * A circuit breaker that is not closed; times are by that instance's clock.
     *
     * @param until empty if unknown
     * @param reason why, if that quotes neither a person nor an exception; otherwise empty
     */
    public record NotClosed(String type, String state, String since, String until, String reason) {

        /** Without the breaker's own text: it may quote an operator, even after a pause, or an exception, and anybody on the broker may ask. */
        static NotClosed of(Status status) {
            String reason = status.pause() != null ? "paused by an operator" : "";
            return new NotClosed(
                    status.type(),
                    status.state().name(),
                    status.since().toString(),
                    textOf(status.until()),
                    Names.printable(reason, LONGEST_REASON));
        }

        private static String textOf(@Nullable Object value) {
            return value == null ? "" : value.toString();
        }

        void writeTo(ObjectNode json) {
            json.put("type", type)
                    .put("state", state)
                    .put("since", since)
                    .put("until", until)
                    .put("reason", reason);
        }
    }

    /** Ignores what it does not know, and takes what is missing as empty: other versions say more or less. Lists are read to a limit. */
    static InstanceFacts read(ObjectNode answer) {
        JsonNode types = answer.path("types");
        JsonNode notClosed = answer.path("notClosed");
        return new InstanceFacts(
                text(answer, "uptime"),
                text(answer, "store"),
                list(types, MOST, InstanceFacts::type),
                list(notClosed, MOST, InstanceFacts::breaker),
                answer.path(Reply.CUT).asBoolean(false) || types.size() > MOST || notClosed.size() > MOST);
    }

    private static HandledType type(JsonNode type) {
        return new HandledType(
                text(type, "type"), list(type.path("from"), MOST_FROM, sender -> Names.printable(sender.asString(""))));
    }

    private static NotClosed breaker(JsonNode breaker) {
        return new NotClosed(
                text(breaker, "type"),
                text(breaker, "state"),
                text(breaker, "since"),
                text(breaker, "until"),
                Names.printable(breaker.path("reason").asString(""), LONGEST_REASON));
    }

    private static <T> List<T> list(JsonNode array, int most, Function<JsonNode, T> reader) {
        List<T> list = new ArrayList<>();
        for (JsonNode element : array) {
            if (list.size() == most) {
                break;
            }
            list.add(reader.apply(element));
        }
        return List.copyOf(list);
    }

    private static String text(JsonNode json, String name) {
        return Names.printable(json.path(name).asString(""));
    }
}
