// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.story.Story.Command;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/** Requests to the endpoints of nodes, to be pasted into a shell: nothing that others have written can become part of its grammar. Pure. */
final class Curl {

    private static final String ACTUATOR = "${ACTUATOR:-http://localhost:8080/actuator}";

    private Curl() {}

    static Command get(String why, String node, String path) {
        return new Command(why, node, "curl -s \"%s/%s\"".formatted(ACTUATOR, path));
    }

    /** @param body names and values without quotes and backslashes, of our own making, or checked names */
    static Command post(String why, String node, String path, Map<String, String> body) {
        String json = body.entrySet().stream()
                .map(entry -> "\"%s\":\"%s\"".formatted(entry.getKey(), plain(entry.getValue())))
                .collect(Collectors.joining(",", "{", "}"));
        return new Command(
                why,
                node,
                "curl -s -H 'Content-Type: application/json' -d '%s' \"%s/%s\"".formatted(json, ACTUATOR, path));
    }

    /** A segment of a path, or a value of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }

    private static String plain(String text) {
        return text.replaceAll("[^A-Za-z0-9 ._$:-]", "");
    }
}
