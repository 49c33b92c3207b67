// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** What a command that runs proofs prints: progress on standard error, a table or JSON on standard output. Confined to one thread. */
public final class ProofReport {

    private final String command;

    private ProofReport(String command) {
        this.command = command;
    }

    /**
     * Runs the rows whose key matches, and prints what was found.
     *
     * @param command name of the command, for its messages
     * @param rows makes all rows of the command, given the project's folder
     * @param arguments {@code quick} or {@code full}, {@code json} or {@code table}, a pattern of rows, a seed, the project's folder
     * @return whether each row that was run met its target, and one was run
     */
    public static boolean print(String command, Function<Path, Rows> rows, String... arguments) {
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME))
                .setLevel(Level.OFF); // what goes wrong here does so on purpose
        ProofReport report = new ProofReport(command);
        long seed = Long.parseLong(arguments[3]);
        Effort effort = new Effort(arguments[0].equals("quick"), seed, report::say);
        Pattern keys = Pattern.compile(arguments[2]);
        report.say("seed " + seed);
        Map<Row, Finding> findings = new LinkedHashMap<>();
        try (Rows open = rows.apply(Path.of(arguments[4]))) {
            List<Row> all = open.all();
            for (Row row : all) {
                if (keys.matcher(row.key()).find()) {
                    findings.put(row, report.find(row, effort));
                }
            }
            if (arguments[1].equals("json")) {
                json(all, findings, effort);
            } else {
                table(all, findings, effort);
            }
        }
        return !findings.isEmpty() && findings.values().stream().allMatch(Finding::passed);
    }

    private Finding find(Row row, Effort effort) {
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

    private void say(String text) {
        System.err.println(command + ": " + text);
    }
}
