// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.story.Story.Command;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Requests to the endpoints of nodes, to be pasted into a shell: nothing that others have written can become part of its grammar. Pure. */
final class Curl {

    private static final String ACTUATOR = "${ACTUATOR:-http://localhost:8080/actuator}";

    /** What every server and proxy passes on as it is. Dots alone would lead elsewhere. */
    private static final Pattern IN_PATH = Pattern.compile("(?!\\.+$)[A-Za-z0-9._:-]+");

    private static final String PLAIN = " ._$:-";

    private Curl() {}

    static Command get(String why, String node, String path) {
        return new Command(why, node, "curl -sS \"%s/%s\"".formatted(ACTUATOR, path));
    }

    /** @param parameter that takes an id that no path can have */
    static Command get(String why, String node, String folder, String parameter, String id) {
        return get(
                why,
                node,
                isInPath(id) ? folder + '/' + encoded(id) : "%s?%s=%s".formatted(folder, parameter, encoded(id)));
    }

    static Command post(String why, String node, String path, Map<String, String> body) {
        String json = body.entrySet().stream()
                .map(entry -> "\"%s\":\"%s\"".formatted(escaped(entry.getKey()), escaped(entry.getValue())))
                .collect(Collectors.joining(",", "{", "}"));
        return new Command(
                why,
                node,
                "curl -sS -H 'Content-Type: application/json' -d '%s' \"%s/%s\"".formatted(json, ACTUATOR, path));
    }

    /** @param parameter that takes an id that no path can have */
    static Command post(String why, String node, String folder, String parameter, String id, Map<String, String> body) {
        if (isInPath(id)) {
            return post(why, node, folder + '/' + encoded(id), body);
        }
        Map<String, String> withId = new LinkedHashMap<>(body);
        withId.put(parameter, id);
        return post(why, node, folder, withId);
    }

    static boolean isInPath(String id) {
        return IN_PATH.matcher(id).matches();
    }

    /** A segment of a path, or a value of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }

    /** Within the quotes of JSON, which are within those of a shell. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.chars().forEach(c -> {
            if (c < 128 && (Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0)) {
                escaped.append((char) c);
            } else {
                escaped.append("\\u%04x".formatted(c));
            }
        });
        return escaped.toString();
    }
}
