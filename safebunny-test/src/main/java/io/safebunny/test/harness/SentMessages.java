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

/** The application messages sent by one node with their payloads, each once and in order. Thread-safe. */
public final class SentMessages {

    private static final JsonMessageSerializer JSON = new JsonMessageSerializer();

    private final Map<String, Sent> byId = new LinkedHashMap<>(); // guarded by this

    /**
     * A message and its payload as JSON. Two with equal payloads are equal, whatever the order of properties.
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

    /** As it is on the wire and in the store. */
    public static JsonNode json(Object value) {
        return tree(JSON.serialize(value));
    }

    public static JsonNode tree(String json) {
        return tree(json.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode tree(byte[] json) {
        return (JsonNode) JSON.deserialize(json, JsonNode.class);
    }

    /** Ignores copies of a message. */
    synchronized void add(WireMessage message) {
        byId.computeIfAbsent(
                String.valueOf(message.messageId()),
                id -> new Sent(String.valueOf(message.type()), tree(message.body())));
    }

    /** In the order of sending. */
    public synchronized List<Sent> all() {
        return new ArrayList<>(byId.values());
    }
}
