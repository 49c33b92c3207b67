// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Result;
import io.safebunny.benchmarks.contest.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of a run.
 *
 * @param machine facts about the machine by name
 */
record Report(Map<String, String> machine, Effort effort, List<Result> results) {

    private static final String OURS = "SafeBunny";
    private static final double WITH_DECIMALS = 100;

    String markdown() {
        StringBuilder text = new StringBuilder();
        machine.forEach((name, fact) ->
                text.append("- ").append(name).append(": ").append(fact).append('\n'));
        text.append("- %d rounds after %d to warm up%n".formatted(effort.rounds(), effort.warmUps()));
        results.forEach(result -> append(text, result));
        return text.toString();
    }

    private static void append(StringBuilder text, Result result) {
        text.append("\n### ").append(result.contest().title()).append("\n\n");
        text.append(result.contest().conditions()).append(".\n\n");
        appendFaster(text, result);
        text.append("| contender | figure | median | min | max |\n|---|---|---|---|---|\n");
        for (Contender contender : result.contest().contenders()) {
            result.figures()
                    .getOrDefault(contender.name(), Map.of())
                    .forEach((figure, spread) -> text.append("| %s | %s | %s | %s | %s |%n"
                            .formatted(
                                    contender.name(),
                                    figure,
                                    number(spread.median()),
                                    number(spread.min()),
                                    number(spread.max()))));
        }
        if (result.contest().ratios().isEmpty()) {
            return;
        }
        text.append("\n| ratio | of | to | median | min | max | goal |\n|---|---|---|---|---|---|---|\n");
        for (Ratio ratio : result.contest().ratios()) {
            Spread spread = result.ratios().get(ratio.key());
            if (spread != null) {
                text.append("| `%s` | %s | %s | **%s** | %s | %s | %s |%n"
                        .formatted(
                                ratio.key(),
                                ratio.of(),
                                ratio.to(),
                                number(spread.median()),
                                number(spread.min()),
                                number(spread.max()),
                                goal(ratio, spread)));
            }
        }
    }

    /** Said first, so that nobody has to look for it. */
    private static void appendFaster(StringBuilder text, Result result) {
        List<String> faster = new ArrayList<>();
        for (Ratio ratio : result.contest().ratios()) {
            Spread spread = result.ratios().get(ratio.key());
            if (spread != null
                    && spread.median() < 1
                    && ratio.of().startsWith(OURS)
                    && !ratio.to().startsWith(OURS)) {
                faster.add("%s (by %s)".formatted(ratio.to(), number(1 / spread.median())));
            }
        }
        if (!faster.isEmpty()) {
            text.append("Faster than SafeBunny: %s.%n%n".formatted(String.join(", ", faster)));
        }
    }

    private static String goal(Ratio ratio, Spread spread) {
        if (ratio.goal() == 0) {
            return "";
        }
        return number(ratio.goal()) + (spread.median() >= ratio.goal() ? "" : ", **missed**");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= WITH_DECIMALS ? "%,.0f" : "%.2f", value);
    }

    /** Medians by key. */
    Map<String, Double> ratios() {
        Map<String, Double> ratios = new LinkedHashMap<>();
        results.forEach(result -> result.ratios().forEach((key, spread) -> ratios.put(key, rounded(spread.median()))));
        return ratios;
    }

    private static double rounded(double value) {
        return Math.round(value * 1_000) / 1_000.0;
    }

    String json() {
        return JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(
                        Map.of("machine", machine, "effort", effort, "ratios", ratios(), "contests", contests()));
    }

    private List<Map<String, Object>> contests() {
        return results.stream()
                .map(result -> Map.<String, Object>of(
                        "title", result.contest().title(),
                        "conditions", result.contest().conditions(),
                        "figures", result.figures(),
                        "ratios", result.ratios()))
                .toList();
    }

    /** A one-line summary. */
    String summary() {
        return JsonMapper.shared().writeValueAsString(Map.of("ratios", ratios()));
    }
}
