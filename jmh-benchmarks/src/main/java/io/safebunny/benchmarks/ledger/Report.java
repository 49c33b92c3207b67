// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import io.safebunny.benchmarks.contest.Bin;
import io.safebunny.benchmarks.contest.Bins;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Cost;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Result;
import io.safebunny.benchmarks.contest.Spread;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of a run.
 *
 * @param machine facts about the machine by name
 */
record Report(Map<String, String> machine, Effort effort, List<Result> results) {

    /** How the names of our contenders begin. */
    static final String OURS = "SafeBunny";

    private static final double WITH_DECIMALS = 100;

    private static final String KEYS =
            "\n| key | of | to | median | min | max | goal |\n|---|---|---|---|---|---|---|\n";

    /** Folder of the plots, beside the report. */
    static final String PLOTS = "benchmarks";

    String markdown() {
        StringBuilder text = new StringBuilder();
        machine.forEach((name, fact) ->
                text.append("- ").append(name).append(": ").append(fact).append('\n'));
        text.append("- %d rounds after %d to warm up%n".formatted(effort.rounds(), effort.warmUps()));
        appendFaster(text);
        appendGoals(text);
        results.forEach(result -> append(text, result));
        return text.toString();
    }

    /** Said first, so that nobody has to look for it. */
    private void appendFaster(StringBuilder text) {
        List<String> faster = results.stream()
                .flatMap(result -> faster(result).map(ratio -> "- %s, by %s (`%s`): %s%n"
                        .formatted(
                                ratio.to(),
                                times(result, ratio),
                                ratio.key(),
                                result.contest().title())))
                .toList();
        if (!faster.isEmpty()) {
            text.append("\nFaster than SafeBunny (medians):\n\n");
            faster.forEach(text::append);
        }
    }

    private void appendGoals(StringBuilder text) {
        StringBuilder rows = new StringBuilder();
        results.forEach(result -> appendKeys(rows, result, true));
        if (!rows.isEmpty()) {
            text.append("\nThe goals that the project has set for itself:\n")
                    .append(KEYS)
                    .append(rows);
        }
    }

    private static void append(StringBuilder text, Result result) {
        text.append("\n### ").append(result.contest().title()).append("\n\n");
        text.append(result.contest().conditions()).append(".\n\n");
        appendFaster(text, result);
        appendFigures(text, result);
        if (!result.bins().isEmpty()) {
            text.append("\n![%s, over time](%s/%s)\n".formatted(result.contest().title(), PLOTS, plotName(result)));
        }
        StringBuilder rows = new StringBuilder();
        appendKeys(rows, result, false);
        if (!rows.isEmpty()) {
            text.append(KEYS).append(rows);
        }
    }

    private static void appendKeys(StringBuilder text, Result result, boolean onlyGoals) {
        for (Ratio ratio : result.contest().ratios()) {
            Spread spread = result.ratios().get(ratio.key());
            if (spread != null && !(onlyGoals && ratio.goal() == 0)) {
                boolean missed = spread.median() < ratio.goal();
                appendKey(text, ratio.key(), ratio.of(), ratio.to(), spread, goal("at least", ratio.goal(), missed));
            }
        }
        for (Cost cost : result.contest().costs()) {
            Spread spread = result.ratios().get(cost.key());
            if (spread != null) {
                boolean missed = rounded(spread.median()) > cost.goal();
                appendKey(text, cost.key(), cost.of(), cost.figure(), spread, goal("at most", cost.goal(), missed));
            }
        }
    }

    /** A row for each contender and a column for each figure. */
    private static void appendFigures(StringBuilder text, Result result) {
        List<String> names = result.figures().values().stream()
                .flatMap(figures -> figures.keySet().stream())
                .distinct()
                .toList();
        text.append("| contender |");
        names.forEach(name -> text.append(' ').append(name).append(" |"));
        text.append("\n|---|").append("---|".repeat(names.size())).append('\n');
        for (Contender contender : result.contest().contenders()) {
            Map<String, Spread> figures = result.figures().getOrDefault(contender.name(), Map.of());
            text.append("| ").append(contender.name()).append(" |");
            names.forEach(
                    name -> text.append(' ').append(cell(figures.get(name))).append(" |"));
            text.append('\n');
        }
    }

    private static String cell(@Nullable Spread spread) {
        return spread == null
                ? ""
                : "**%s** %s–%s".formatted(number(spread.median()), number(spread.min()), number(spread.max()));
    }

    private static void appendKey(StringBuilder text, String key, String of, String to, Spread spread, String goal) {
        text.append("| `%s` | %s | %s | **%s** | %s | %s | %s |%n"
                .formatted(key, of, to, number(spread.median()), number(spread.min()), number(spread.max()), goal));
    }

    private static void appendFaster(StringBuilder text, Result result) {
        List<String> faster = faster(result)
                .map(ratio -> "%s (by %s)".formatted(ratio.to(), times(result, ratio)))
                .toList();
        if (!faster.isEmpty()) {
            text.append("Faster than SafeBunny: %s.%n%n".formatted(String.join(", ", faster)));
        }
    }

    /** The ratios to others that are below 1. */
    private static Stream<Ratio> faster(Result result) {
        return result.contest().ratios().stream()
                .filter(ratio -> ratio.of().startsWith(OURS) && !ratio.to().startsWith(OURS))
                .filter(ratio -> median(result, ratio) < 1);
    }

    private static String times(Result result, Ratio ratio) {
        return number(1 / median(result, ratio));
    }

    private static double median(Result result, Ratio ratio) {
        Spread spread = result.ratios().get(ratio.key());
        return spread == null ? Double.NaN : spread.median();
    }

    private static String goal(String bound, double goal, boolean missed) {
        return goal == 0 ? "" : "%s %s%s".formatted(bound, number(goal), missed ? ", **missed**" : "");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= WITH_DECIMALS ? "%,.0f" : "%.2f", value);
    }

    /** Writes the plots into a folder, in place of those of previous runs. */
    void save(Path folder) throws IOException {
        Files.createDirectories(folder);
        try (DirectoryStream<Path> previous = Files.newDirectoryStream(folder, "*.svg")) {
            for (Path plot : previous) {
                Files.delete(plot);
            }
        }
        for (Result result : results) {
            if (!result.bins().isEmpty()) {
                Files.writeString(folder.resolve(plotName(result)), new Plot(result.bins()).svg());
            }
        }
    }

    private static String plotName(Result result) {
        return result.contest().title().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".svg";
    }

    /** Medians of ratios and costs by key. */
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
                        "ratios", result.ratios(),
                        "bins", bins(result)))
                .toList();
    }

    private static Map<String, Object> bins(Result result) {
        Map<String, Object> byContender = new LinkedHashMap<>();
        result.bins()
                .forEach((name, bins) -> byContender.put(
                        name,
                        Map.of(
                                "milliseconds", Bins.MILLIS,
                                "ended", bins.stream().map(Bin::ended).toList(),
                                "median", rounded(bins, Bin::median),
                                "p95", rounded(bins, Bin::p95),
                                "p99", rounded(bins, Bin::p99))));
        return byContender;
    }

    private static List<Double> rounded(List<Bin> bins, ToDoubleFunction<Bin> figure) {
        return bins.stream().map(bin -> rounded(figure.applyAsDouble(bin))).toList();
    }

    /** A one-line summary. */
    String summary() {
        return JsonMapper.shared().writeValueAsString(Map.of("ratios", ratios()));
    }
}
