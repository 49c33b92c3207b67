// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.upgrade;

import io.safebunny.serialization.json.JsonProbe.Found;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * Compares documents of one type as the old version wrote them with what the new one writes of them: properties that the old one has always
 * written and the new one never does, values of another kind, and constants of another name. Confined to one thread.
 */
final class WrittenAgain {

    private static final String INTEGER = "an integer";
    private static final String DECIMAL = "a decimal";

    private final Map<String, Integer> objects = new TreeMap<>();
    private final Map<String, Integer> present = new TreeMap<>();
    private final Map<String, Integer> gone = new TreeMap<>();
    private final Map<String, String> changed = new LinkedHashMap<>();

    /**
     * @param found what the new class makes of the old document
     * @param keepsUnread whether what nothing reads is written again all the same, as in states
     */
    void add(JsonNode old, JsonNode written, Found found, boolean keepsUnread) {
        compare(old, written, found, keepsUnread, "");
    }

    private void compare(JsonNode old, JsonNode written, Found found, boolean keepsUnread, String place) {
        if (!isAlike(kind(old), kind(written))) {
            changed.putIfAbsent(found.named(place), "%s instead of %s".formatted(kind(written), kind(old)));
        } else if (old.isString() && !old.equals(written) && found.isConstant(place, old)) {
            changed.putIfAbsent(
                    found.named(place), "the constant %s instead of %s".formatted(written.asString(), old.asString()));
        } else if (old.isArray() && old.size() == written.size()) {
            for (int i = 0; i < old.size(); i++) {
                compare(old.get(i), written.get(i), found, keepsUnread, place + '/' + i);
            }
        } else if (old.isObject()) {
            objects.merge(found.named(place), 1, Integer::sum);
            for (Map.Entry<String, JsonNode> field : old.properties()) {
                String at = place + '/' + field.getKey().replace("~", "~0").replace("/", "~1");
                if (field.getValue().isNull() || (keepsUnread && found.unread().contains(at))) {
                    continue;
                }
                boolean isProperty = found.isProperty(place, field.getKey());
                JsonNode now = written.path(field.getKey());
                if (isProperty) {
                    present.merge(found.named(at), 1, Integer::sum);
                }
                if (!now.isMissingNode() && !now.isNull()) {
                    compare(field.getValue(), now, found, keepsUnread, at);
                } else if (isProperty) {
                    gone.merge(found.named(at), 1, Integer::sum);
                }
            }
        }
    }

    /** What reads decimals reads integers, but not the other way round. */
    private static boolean isAlike(String old, String written) {
        return old.equals(written) || (old.equals(DECIMAL) && written.equals(INTEGER));
    }

    private static String kind(JsonNode node) {
        return node.isString()
                ? "a text"
                : node.isIntegralNumber()
                        ? INTEGER
                        : node.isNumber()
                                ? DECIMAL
                                : node.isBoolean()
                                        ? "a boolean"
                                        : node.isObject() ? "an object" : node.isArray() ? "an array" : "null";
    }

    /** What the new version does that the old one would not read as before, by property; empty for the whole document. */
    Map<String, String> differences() {
        Map<String, String> all = new TreeMap<>();
        changed.forEach((name, how) -> all.put(name, "writes %s".formatted(how)));
        gone.forEach((name, times) -> {
            int dot = name.lastIndexOf('.');
            int around = objects.getOrDefault(dot < 0 ? "" : name.substring(0, dot), 0);
            if (times.equals(present.get(name)) && times == around) {
                all.put(name, "does not");
            }
        });
        return all;
    }
}
