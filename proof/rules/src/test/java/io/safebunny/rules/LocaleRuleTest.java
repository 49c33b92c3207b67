// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * No id, name, number or configuration depends on the machine's language: in Egypt numbers are formatted with other digits, in Turkey {@code
 * "ID".toLowerCase()} is no {@code "id"}. {@code formatted} always asks for the machine's locale, so it gets {@code %s}, which localizes nothing.
 */
class LocaleRuleTest {

    private static final Pattern LOCAL = Pattern.compile(
            "%[-#+0,(]*\\d*(\\.\\d+)?[dfeg]\\b|to(Upper|Lower)Case\\(\\)|DateTimeFormatter\\.ofPattern\\(\"[^\"]*\"\\)"
                    + "|new (DecimalFormat|SimpleDateFormat|Formatter|MessageFormat)\\(|(Number|Date)Format\\.get\\w*\\(\\)|String\\.format\\(\"");

    /** It may stand in front of the format, which may be on a line of its own. */
    private static final int LINES_BEFORE = 2;

    static List<String> violations(List<String> lines) {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            List<String> statement = lines.subList(Math.max(0, i - LINES_BEFORE), i + 1);
            if (LOCAL.matcher(lines.get(i)).find()
                    && statement.stream().noneMatch(line -> line.contains("Locale.ROOT"))) {
                found.add(lines.get(i).strip());
            }
        }
        return found;
    }

    @Test
    void seesEveryKind() {
        assertThat(violations(List.of(
                        "\"%d of %s\".formatted(1, 2)",
                        "\"%,d\".formatted(1)",
                        "\"%02d\".formatted(1)",
                        "\"took %.1f s\".formatted(1.5)",
                        "name.toUpperCase()",
                        "name.toLowerCase()",
                        "String.format(\"%s\", 1)",
                        "new DecimalFormat(\"0.0\")")))
                .hasSize(8);
        assertThat(violations(List.of(
                        "\"%s of %s, 50 %% done%n\".formatted(1, 2)",
                        "String.format(Locale.ROOT, \"%,d\", 1)",
                        "String.format(",
                        "Locale.ROOT,",
                        "\"%02d\",",
                        "name.toUpperCase(Locale.ROOT)")))
                .isEmpty();
    }

    @Test
    void nothingThatIsShippedDependsOnTheLocaleOfTheMachine() throws IOException {
        List<String> all = new ArrayList<>();
        ShippedSources.read().forEach((file, lines) -> violations(lines).forEach(line -> all.add(file + ": " + line)));
        assertThat(all).isEmpty();
    }
}
