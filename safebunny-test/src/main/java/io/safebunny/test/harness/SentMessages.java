// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.message.MessageTypes;
import io.safebunny.message.WireMessage;
import io.safebunny.serialization.json.JsonMessageSerializer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** The application messages that one node has sent, with their payloads, each once, in order. Thread-safe. */
public final class SentMessages {

    private static final JsonMessageSerializer JSON = new JsonMessageSerializer();

    private final Map<String, Sent> byId = new LinkedHashMap<>(); // guarded by this

    /**
     * A message with its payload as JSON. Two messages with equal payloads are equal, whatever the order of properties.
     *
     * @param type name of the message type
     */
    public record Sent(String type, JsonNode payload) {

        public static Sent of(Object payload) {
            return new Sent(MessageTypes.nameOf(payload.getClass()), json(payload));
        }

        @Override
        public String toString() {
            return type + ' ' + payload;
        }
    }

    /** The value as JSON, in the form that it has on the wire and in the store. */
    public static JsonNode json(Object value) {
        return tree(JSON.serialize(value));
    }

    public static JsonNode tree(String json) {
        return tree(json.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode tree(byte[] json) {
        return (JsonNode) JSON.deserialize(json, JsonNode.class);
    }

    /** Adds a message, unless it is a copy of an earlier one. */
    synchronized void add(WireMessage message) {
        byId.computeIfAbsent(
                String.valueOf(message.messageId()),
                id -> new Sent(String.valueOf(message.type()), tree(message.body())));
    }

    /** All messages, in the order of sending. */
    public synchronized List<Sent> all() {
        return new ArrayList<>(byId.values());
    }
}
