// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import io.safebunny.message.Names;
import io.safebunny.poison.OtherInstances.Operation;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.RunState;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What an instance says of its operations on poison messages. Immutable.
 *
 * @param browsed how often it has begun to browse the poison queue or its archive
 * @param browses whether it does so now, and holds copies that the broker does not count
 * @param operations the last that it began, latest first
 */
public record InstanceOperations(long browsed, boolean browses, List<Operation> operations) {

    /** Of operations. */
    public static final int MOST = 10;

    private static final String BROWSES = "browses";
    private static final String OPERATIONS = "operations";

    public InstanceOperations {
        operations = List.copyOf(operations);
    }

    ObjectNode json() {
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("browsed", browsed).put(BROWSES, browses);
        ArrayNode all = json.putArray(OPERATIONS);
        operations.forEach(operation -> all.addObject()
                .put("id", operation.id())
                .put("kind", operation.kind().name())
                .put("state", operation.state().name())
                .put("dryRun", operation.dryRun())
                .put("begunAt", operation.begunAt().toString())
                .put("depth", operation.depth())
                .put("scanned", operation.scanned())
                .put("matched", operation.matched())
                .put("moved", operation.moved())
                .put("held", operation.held()));
        return json;
    }

    /** @return {@code null} if it is none */
    static @Nullable InstanceOperations read(ObjectNode json) {
        if (!json.path(BROWSES).isBoolean()) {
            return null;
        }
        List<Operation> operations = new ArrayList<>();
        for (JsonNode one : json.path(OPERATIONS)) {
            Operation operation = operations.size() < MOST ? operation(one) : null;
            if (operation != null) {
                operations.add(operation);
            }
        }
        return new InstanceOperations(
                json.path("browsed").asLong(0), json.path(BROWSES).asBoolean(false), operations);
    }

    /** @return {@code null} if this version cannot tell it, such as one of a new kind */
    private static @Nullable Operation operation(JsonNode json) {
        try {
            return new Operation(
                    Names.printable(json.path("id").asString("")),
                    Kind.valueOf(json.path("kind").asString("")),
                    RunState.valueOf(json.path("state").asString("")),
                    json.path("dryRun").asBoolean(false),
                    Instant.parse(json.path("begunAt").asString("")),
                    count(json, "depth"),
                    count(json, "scanned"),
                    (int) Math.min(Integer.MAX_VALUE, count(json, "matched")),
                    (int) Math.min(Integer.MAX_VALUE, count(json, "moved")),
                    count(json, "held"));
        } catch (IllegalArgumentException | DateTimeException e) {
            return null;
        }
    }

    private static long count(JsonNode json, String name) {
        return Math.max(0, json.path(name).asLong(0));
    }
}
