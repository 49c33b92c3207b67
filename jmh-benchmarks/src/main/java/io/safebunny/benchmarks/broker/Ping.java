// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.broker;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A message with some lines of text. */
public record Ping(String id, long number, List<String> lines) {

    private static final String LINE = "forty bytes of text for one line of it";

    /**
     * @param id at most 40 characters
     * @param bytes size of its JSON, at least 200
     */
    public static Ping ofSize(String id, int bytes) {
        int many = (bytes - 120) / (LINE.length() + 3);
        List<String> lines = new ArrayList<>(Collections.nCopies(many, LINE));
        lines.add("");
        int missing = bytes - new Ping(id, 7, lines).json().length;
        lines.set(many, "x".repeat(missing));
        return new Ping(id, 7, lines);
    }

    /** Its JSON, the same from every serializer in the contests. */
    public byte[] json() {
        return "{\"id\":\"%s\",\"number\":%s,\"lines\":[\"%s\"]}"
                .formatted(id, number, String.join("\",\"", lines))
                .getBytes(StandardCharsets.UTF_8);
    }
}
