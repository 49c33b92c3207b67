// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Causes may form a cycle, on which a loop of one's own never ends: only {@code Causes} walks along them. */
class CauseRuleTest {

    private static final Pattern WALK = Pattern.compile(
            "(\\w+)\\s*=\\s*\\1\\.get(Cause|NextException)\\(\\)|while\\s*\\(.*get(Cause|NextException)\\(\\)");

    private static boolean walks(String line) {
        return WALK.matcher(line).find();
    }

    @Test
    void seesEveryKind() {
        assertThat(List.of(
                        "for (Throwable cause = e; cause != null; cause = cause.getCause()) {",
                        "cause = cause.getCause();",
                        "while (cause.getCause() != null) {",
                        "sql = sql.getNextException();"))
                .allMatch(CauseRuleTest::walks);
        assertThat(List.of("for (Throwable cause : Causes.of(e)) {", "Throwable cause = failure.getCause();"))
                .noneMatch(CauseRuleTest::walks);
    }

    @Test
    void nobodyElseWalksAlongCauses() throws IOException {
        List<String> all = new ArrayList<>();
        ShippedSources.read().forEach((file, lines) -> lines.stream()
                .filter(CauseRuleTest::walks)
                .forEach(line -> all.add(file + ": " + line.strip())));
        assertThat(all).isEmpty();
    }
}
