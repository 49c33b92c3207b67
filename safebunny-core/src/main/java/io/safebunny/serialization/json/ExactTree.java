// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import java.math.BigDecimal;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads SafeBunny's own JSON as a tree and writes it back with every number unchanged: digits, scale and the sign of zero. Accepts
 * everything that {@link JsonMessageSerializer} writes, and somewhat deeper nesting. Pure.
 */
public final class ExactTree {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Nesting limit: a hundred more than for messages and states. */
    private static final int DEPTH = 600;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH)
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .streamWriteConstraints(StreamWriteConstraints.builder()
                            .maxNestingDepth(DEPTH)
                            .build())
                    .build())
            // without this, one of two values with the same name would be lost
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private ExactTree() {}

    /** @throws JacksonException if it is not JSON */
    public static JsonNode read(String json) {
        try (JsonParser parser = MAPPER.createParser(json)) {
            return parser.nextToken() == null ? NODES.missingNode() : node(parser);
        }
    }

    /** Like {@link #read(String)}. */
    static JsonNode read(byte[] json) {
        try (JsonParser parser = MAPPER.createParser(json)) {
            return parser.nextToken() == null ? NODES.missingNode() : node(parser);
        }
    }

    /** The document of a parser of any format. */
    static JsonNode read(JsonParser parser) {
        return parser.nextToken() == null ? NODES.missingNode() : node(parser);
    }

    public static String write(JsonNode tree) {
        return MAPPER.writeValueAsString(tree);
    }

    /** Reads the value at the parser's position; leaves the parser at the end of the value. */
    static JsonNode node(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_NUMBER_FLOAT ->
                parser.isNaN() ? NODES.stringNode(parser.getString()) : decimal(parser.getString());
            case VALUE_NUMBER_INT -> integer(parser);
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            case VALUE_EMBEDDED_OBJECT ->
                NODES.stringNode(Base64Variants.MIME_NO_LINEFEEDS.encode(parser.getBinaryValue()));
            default -> NODES.stringNode(parser.getString());
        };
    }

    private static ObjectNode object(JsonParser parser) {
        ObjectNode object = NODES.objectNode();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            parser.nextToken();
            object.set(name, node(parser));
        }
        return object;
    }

    private static ArrayNode array(JsonParser parser) {
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(node(parser));
        }
        return array;
    }

    private static JsonNode integer(JsonParser parser) {
        return switch (parser.getNumberType()) {
            case INT -> NODES.numberNode(parser.getIntValue());
            case LONG -> NODES.numberNode(parser.getLongValue());
            default -> NODES.numberNode(parser.getBigIntegerValue());
        };
    }

    /** A number with a point or an exponent. Minus zero becomes a {@code double}, because a decimal has no minus zero. */
    private static JsonNode decimal(String digits) {
        BigDecimal decimal = new BigDecimal(digits);
        return decimal.signum() == 0 && digits.startsWith("-") ? NODES.numberNode(-0.0) : NODES.numberNode(decimal);
    }
}
