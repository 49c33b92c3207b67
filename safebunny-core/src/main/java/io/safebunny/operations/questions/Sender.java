// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.message.Names;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The instance that a message between instances names as its sender. Nothing proves it. Immutable.
 *
 * @param instance its name, as operators see it
 * @param node empty in messages of older versions, or if it cannot be a node's name
 * @param version of SafeBunny; empty in messages of older versions
 */
public record Sender(String instance, String node, String version) {

    private static final int LONGEST_ID = 200;
    private static final int LONGEST_VERSION = 50;

    public void writeTo(ObjectNode json) {
        json.put("from", instance).put("node", node).put("version", version);
    }

    /** @throws IllegalArgumentException if the instance is missing or too long */
    public static Sender read(JsonNode json) {
        String node = json.path("node").asString("");
        return new Sender(
                Names.printable(id(json, "from"), LONGEST_ID),
                Names.isNode(node) ? node : "",
                Names.printable(json.path("version").asString(""), LONGEST_VERSION));
    }

    /**
     * Reads the name of something in a message.
     *
     * @throws IllegalArgumentException if it is missing or too long
     */
    public static String id(JsonNode json, String property) {
        String id = json.path(property).asString("");
        if (id.isEmpty() || id.length() > 4 * LONGEST_ID) { // an escaped name may be four times as long
            throw new IllegalArgumentException(property);
        }
        return id;
    }
}
