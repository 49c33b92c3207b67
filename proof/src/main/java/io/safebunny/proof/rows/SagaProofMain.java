// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Entry point of {@code bin/saga-proof}: progress on standard error, a table or JSON on standard output. */
final class SagaProofMain {

    private SagaProofMain() {}

    /** Five arguments: {@code quick} or {@code full}, {@code json} or {@code table}, a pattern of rows, a seed, the project's folder. */
    public static void main(String... arguments) {
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME))
                .setLevel(Level.OFF); // what goes wrong here does so on purpose
        long seed = Long.parseLong(arguments[3]);
        Effort effort = new Effort(arguments[0].equals("quick"), seed, SagaProofMain::say);
        Pattern rows = Pattern.compile(arguments[2]);
        say("seed " + seed);
        Map<Row, Finding> findings = new LinkedHashMap<>();
        try (Rows open = new Rows(Path.of(arguments[4]))) {
            List<Row> all = open.all();
            List<Row> chosen =
                    all.stream().filter(row -> rows.matcher(row.key()).find()).toList();
            for (Row row : chosen) {
                findings.put(row, find(row, effort));
            }
            if (arguments[1].equals("json")) {
                json(all, findings, effort);
            } else {
                table(all, findings, effort);
            }
        }
        boolean met = !findings.isEmpty() && findings.values().stream().allMatch(Finding::passed);
        System.exit(met ? 0 : 1);
    }

    private static Finding find(Row row, Effort effort) {
        say(row.key() + " ...");
        long begun = System.nanoTime();
        Finding finding;
        try {
            finding = row.proof().find(effort);
        } catch (Exception | AssertionError e) {
            finding = Finding.broken(e);
        }
        long tenths = Math.round((System.nanoTime() - begun) / 1e8);
        Finding timed = finding.with("seconds", tenths / 10.0);
        say("%s: %s %s".formatted(row.key(), timed.passed() ? "ok" : "FAILED", timed.figures()));
        return timed;
    }

    private static void json(List<Row> all, Map<Row, Finding> findings, Effort effort) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("run", Map.of("quick", effort.quick(), "seed", effort.seed()));
        for (Row row : all) {
            Map<String, Object> cell = new LinkedHashMap<>();
            cell.put("target", row.target());
            Finding finding = findings.get(row);
            cell.put("run", finding != null);
            cell.put("passed", finding != null && finding.passed());
            cell.put("measured", finding == null ? Map.of() : finding.figures());
            report.put(row.key(), cell);
        }
        System.out.println(new JsonMapper().writeValueAsString(report));
    }

    private static void table(List<Row> all, Map<Row, Finding> findings, Effort effort) {
        System.out.printf(Locale.ROOT, "seed %s, %s run%n%n", effort.seed(), effort.quick() ? "quick" : "full");
        System.out.println("| row | target | measured | |");
        System.out.println("|---|---|---|---|");
        for (Row row : all) {
            Finding finding = findings.get(row);
            String verdict = finding == null ? "not run" : finding.passed() ? "ok" : "**FAILED**";
            String measured = finding == null
                    ? ""
                    : finding.figures().entrySet().stream()
                            .map(figure -> figure.getKey() + " " + figure.getValue())
                            .reduce((one, other) -> one + "; " + other)
                            .orElse("");
            System.out.println("| %s | %s | %s | %s |".formatted(row.key(), row.target(), measured, verdict));
        }
    }

    private static void say(String text) {
        System.err.println("saga-proof: " + text);
    }
}
