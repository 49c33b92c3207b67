// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import io.safebunny.serialization.json.JsonProbe.Found;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Replaces all values of a JSON document by others of the same shape, so that a class reads the document as it would read the stored one, and
 * nobody can tell what was stored. Names of properties, constants and names of subclasses stay; keys that are data are masked, too. Immutable.
 *
 * @param found what its class makes of it
 * @param constants texts that stay, wherever they are: constants in a document of an earlier version, of which the class knows no places
 * @param names of properties that stay, wherever they are: of such a document
 * @param isPresent whether the document is of the version that the class reads, so that the places found are its own
 * @param digit what stands for each digit
 */
record ShapeMask(Found found, Set<String> constants, Set<String> names, boolean isPresent, char digit) {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /**
     * @param shown what the application's masker shows of it: what that leaves out is left out, and of what it hides nothing stays
     */
    JsonNode masked(JsonNode stored, JsonNode shown) {
        return masked(stored, shown, "");
    }

    private JsonNode masked(JsonNode stored, JsonNode shown, String place) {
        if (stored instanceof ObjectNode object) {
            return object(object, shown, place);
        }
        if (stored instanceof ArrayNode array) {
            ArrayNode masked = NODES.arrayNode();
            for (int i = 0; i < array.size(); i++) {
                masked.add(masked(array.get(i), element(shown, array.size(), i), place + '/' + i));
            }
            return masked;
        }
        boolean isHidden = !stored.equals(shown);
        if (!isHidden && (isConstant(stored) || found.isConstant(place, stored))) {
            return stored;
        }
        return value(stored);
    }

    private boolean isConstant(JsonNode stored) {
        return stored.isString() && constants.contains(stored.asString());
    }

    private static JsonNode element(JsonNode shown, int size, int index) {
        return shown.isArray() && shown.size() == size ? shown.get(index) : MissingNode.getInstance();
    }

    private ObjectNode object(ObjectNode stored, JsonNode shown, String place) {
        ObjectNode masked = NODES.objectNode();
        for (Map.Entry<String, JsonNode> field : stored.properties()) {
            String name = field.getKey();
            String at = place + '/' + name.replace("~", "~0").replace("/", "~1");
            boolean isGone = shown.isObject() && !shown.has(name);
            if (isGone || (isPresent && found.unread().contains(at))) {
                continue;
            }
            boolean stays = found.isKnown(place, name) || found.isConstantKey(name) || names.contains(name);
            JsonNode value = masked(field.getValue(), shown.path(name), at);
            masked.set(stays ? name : Shape.of(name, digit), value);
        }
        return masked;
    }

    private JsonNode value(JsonNode stored) {
        if (stored.isString()) {
            return NODES.stringNode(Shape.of(stored.asString(), digit));
        }
        if (stored.isBoolean()) {
            return NODES.booleanNode(digit != '1');
        }
        if (stored.isIntegralNumber()) {
            return integer(stored.bigIntegerValue());
        }
        if (!stored.isNumber()) {
            return stored; // null
        }
        BigDecimal decimal = stored.decimalValue();
        BigInteger unscaled = decimal.unscaledValue();
        BigInteger digits = signed(unscaled, digit, unscaled.abs().toString().length());
        return NODES.numberNode(new BigDecimal(digits, decimal.scale()));
    }

    /** As many digits, and in no smaller type of numbers. */
    private JsonNode integer(BigInteger stored) {
        String text = stored.abs().toString();
        BigInteger masked = signed(stored, digit, text.length());
        if (Shape.bytes(masked) < Shape.bytes(stored)) {
            masked = signed(stored, '9', text.length());
        } else if (Shape.bytes(masked) > Shape.bytes(stored)) {
            masked = signed(stored, '1', text.length());
        }
        return masked.bitLength() < Long.SIZE
                ? masked.bitLength() < Integer.SIZE
                        ? NODES.numberNode(masked.intValue())
                        : NODES.numberNode(masked.longValue())
                : NODES.numberNode(masked);
    }

    private static BigInteger signed(BigInteger stored, char digit, int digits) {
        return new BigInteger(
                (stored.signum() < 0 ? "-" : "") + String.valueOf(digit).repeat(digits));
    }
}
