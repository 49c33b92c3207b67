// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
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

/** Masks the values of some JSON fields and headers, and shows the rest with all its digits. Immutable. */
final class MaskedFields implements BodyMasker {

    private static final String NO_JSON = "not shown: it is not JSON, so its fields cannot be masked";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final String MASK = "***";

    /** In lower case, each with a dot before it. */
    private final List<String> endings;

    MaskedFields(String... fields) {
        this.endings = Stream.of(fields).map(MaskedFields::ending).toList();
        if (endings.isEmpty()) {
            throw wrong("none");
        }
    }

    private static String ending(String field) {
        if (Stream.of(field.split("\\.", -1)).anyMatch(String::isBlank)) {
            throw wrong(field);
        }
        return below("", field);
    }

    private static String below(String path, String name) {
        return path + '.' + name.toLowerCase(Locale.ROOT);
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

    @Override
    public Map<String, Object> maskHeaders(PoisonedMessage message) {
        return masked("", message.headers());
    }

    private String masked(String text) {
        try {
            JsonNode tree = JSON.readTree(text);
            mask(tree, "");
            return JSON.writeValueAsString(tree);
        } catch (JacksonException e) {
            return NO_JSON;
        }
    }

    /** @param path the names that lead to the node; elements of arrays have none of their own */
    private void mask(JsonNode node, String path) {
        if (node instanceof ObjectNode object) {
            for (String name : List.copyOf(object.propertyNames())) {
                String to = below(path, name);
                JsonNode value = object.path(name);
                if (isMasked(to)) {
                    object.set(name, replaced(value));
                } else {
                    mask(value, to);
                }
            }
        }
        if (node instanceof ArrayNode array) {
            for (JsonNode element : array) {
                mask(element, path);
            }
        }
    }

    private boolean isMasked(String path) {
        return endings.stream().anyMatch(path::endsWith);
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
        return value.isNull() ? value : StringNode.valueOf(MASK);
    }

    /** A table of headers; tables may be within tables and lists. */
    private Map<String, Object> masked(String path, Map<?, ?> table) {
        Map<String, Object> shown = new TreeMap<>();
        table.forEach((key, value) -> {
            String name = String.valueOf(key);
            String to = below(path, name);
            shown.put(name, isMasked(to) ? replaced(value) : within(to, value));
        });
        return shown;
    }

    private Object within(String path, Object value) {
        if (value instanceof Map<?, ?> table) {
            return masked(path, table);
        }
        return value instanceof List<?> list
                ? list.stream().map(element -> within(path, element)).toList()
                : value;
    }

    private static Object replaced(Object value) {
        return value instanceof Number ? 0 : value instanceof Boolean ? false : MASK;
    }
}
