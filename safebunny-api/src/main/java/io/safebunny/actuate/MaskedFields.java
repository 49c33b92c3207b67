// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Masks the values of some JSON fields, and shows the rest with all its digits. Immutable. */
final class MaskedFields implements BodyMasker {

    private static final String NO_JSON = "not shown: it is not JSON, so its fields cannot be masked";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** Each field as the names that lead to it. */
    private final List<List<String>> fields;

    MaskedFields(String... fields) {
        this.fields = Stream.of(fields).map(MaskedFields::names).toList();
        if (this.fields.isEmpty()) {
            throw wrong("none");
        }
    }

    private static List<String> names(String field) {
        List<String> names = List.of(field.split("\\.", -1));
        if (names.stream().anyMatch(String::isBlank)) {
            throw wrong(field);
        }
        return names;
    }

    private static MisuseException wrong(String field) {
        return new MisuseException(
                MisuseException.ARGUMENT,
                "Invalid field to mask [field=%s]. Name fields as they are in the JSON, such as iban, or card.number for those within card."
                        .formatted(Names.printable(field)));
    }

    @Override
    public String mask(PoisonedMessage message, byte[] body) {
        return masked(new String(body, StandardCharsets.UTF_8));
    }

    @Override
    public String maskState(SagaView saga) {
        return masked(saga.state());
    }

    private String masked(String text) {
        try {
            JsonNode tree = JSON.readTree(text);
            mask(tree, new ArrayList<>());
            return JSON.writeValueAsString(tree);
        } catch (JacksonException e) {
            return NO_JSON;
        }
    }

    /** @param path the names that lead to the node; elements of arrays have none of their own */
    private void mask(JsonNode node, List<String> path) {
        if (node instanceof ObjectNode object) {
            for (String name : List.copyOf(object.propertyNames())) {
                path.add(name);
                JsonNode value = object.path(name);
                if (isMasked(path)) {
                    object.set(name, replaced(value));
                } else {
                    mask(value, path);
                }
                path.remove(path.size() - 1);
            }
        }
        if (node instanceof ArrayNode array) {
            for (JsonNode element : array) {
                mask(element, path);
            }
        }
    }

    private boolean isMasked(List<String> path) {
        return fields.stream()
                .anyMatch(field -> field.size() <= path.size()
                        && field.equals(path.subList(path.size() - field.size(), path.size())));
    }

    /** Another value of the same type, so that the whole can still be read as what it is. */
    private static JsonNode replaced(JsonNode value) {
        if (value instanceof ObjectNode object) {
            List.copyOf(object.propertyNames()).forEach(name -> object.set(name, replaced(object.path(name))));
            return object;
        }
        if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, replaced(array.path(i)));
            }
            return array;
        }
        if (value.isNumber()) {
            return IntNode.valueOf(0);
        }
        if (value.isBoolean()) {
            return BooleanNode.FALSE;
        }
        return value.isNull() ? value : StringNode.valueOf("***");
    }
}
