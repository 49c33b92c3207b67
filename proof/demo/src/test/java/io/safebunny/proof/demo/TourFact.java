// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an answer must have: - `name` is `value`, is at least `number`, or is absent. The name is a path in JSON, or a sample of Prometheus; a value
 * in angle brackets is whatever it is the first time, and the same from then on.
 */
record TourFact(String line, String name, @Nullable String value, boolean atLeast) {

    private static final Pattern LINE = Pattern.compile("- `([^`]+)` is (?:absent|(at least )?`([^`]+)`)(?:[:,] .*)?");
    private static final Pattern SAMPLE = Pattern.compile("(\\w+)\\{(.*)}");

    static TourFact parse(String line) {
        Matcher fact = LINE.matcher(line);
        if (!fact.matches()) {
            throw new IllegalArgumentException("Not a fact: " + line);
        }
        return new TourFact(line, fact.group(1), fact.group(3), fact.group(2) != null);
    }

    /** @param known values in angle brackets, to which this may add its own */
    void check(String answer, Map<String, String> known) {
        String found = find(answer);
        if (value == null) {
            assertThat(found).as(line).isNull();
            return;
        }
        if (found == null) {
            throw new AssertionError("Missing: %s, in:%n%s".formatted(line, answer));
        }
        String expected = value.startsWith("<") ? known.getOrDefault(value, found) : value;
        if (value.startsWith("<")) {
            known.put(value, expected);
        }
        if (atLeast) {
            assertThat(Double.parseDouble(found)).as(line).isGreaterThanOrEqualTo(Double.parseDouble(expected));
        } else if (isNumber(expected) && isNumber(found)) {
            assertThat(Double.parseDouble(found)).as(line).isEqualTo(Double.parseDouble(expected));
        } else {
            assertThat(found).as(line).isEqualTo(expected);
        }
    }

    private @Nullable String find(String answer) {
        Matcher sample = SAMPLE.matcher(name);
        if (sample.matches()) {
            return answer.lines()
                    .filter(candidate -> isOf(candidate, sample.group(1), sample.group(2)))
                    .map(candidate -> candidate.substring(candidate.lastIndexOf(' ') + 1))
                    .findFirst()
                    .orElse(null);
        }
        JsonNode found = JsonMapper.shared().readTree(answer);
        for (String step : name.split("\\.", -1)) {
            found = found.isArray() ? found.path(Integer.parseInt(step)) : found.path(step);
        }
        return found.isMissingNode() || found.isNull() ? null : found.asString();
    }

    private static boolean isOf(String candidate, String meter, String labels) {
        return candidate.startsWith(meter + "{")
                && Arrays.stream(labels.split(",", -1)).allMatch(candidate::contains);
    }

    private static boolean isNumber(String text) {
        return text.matches("\\d+(\\.\\d+)?");
    }
}
