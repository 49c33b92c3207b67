// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import io.safebunny.benchmarks.activemq.ActiveMqSection;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.consume.BrokersSection;
import io.safebunny.benchmarks.consume.ConsumeSection;
import io.safebunny.benchmarks.consume.CostSection;
import io.safebunny.benchmarks.consume.FrozenSection;
import io.safebunny.benchmarks.consume.InboxSection;
import io.safebunny.benchmarks.consume.StepsSection;
import io.safebunny.benchmarks.consume.WaitSection;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Result;
import io.safebunny.benchmarks.contest.Rounds;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.orders.OrderSection;
import io.safebunny.benchmarks.outbox.HeldSection;
import io.safebunny.benchmarks.outbox.OutboxSection;
import io.safebunny.benchmarks.publish.PublishSection;
import io.safebunny.benchmarks.saga.SagaSection;
import io.safebunny.test.broker.TestBroker;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Entry point of {@code bin/bench}: progress on standard error, the report in Markdown on standard output, both reports in files. */
public final class Ledger {

    private static final String DOCS = "--docs";

    /** Matches every title. */
    private static final String ALL = ".";

    private final BenchBroker broker;
    private final URI uri;
    private final Effort effort;
    private final Pattern wanted;
    private final Map<String, Exception> failed = new LinkedHashMap<>();

    private Ledger(BenchBroker broker, URI uri, Effort effort, Pattern wanted) {
        this.broker = broker;
        this.uri = uri;
        this.effort = effort;
        this.wanted = wanted;
    }

    /** @param arguments folder of the reports, pattern of titles, {@code --quick}, {@code --json}, {@code --docs} and the page */
    public static void main(String... arguments) throws Exception {
        List<String> options = Arrays.asList(arguments);
        Effort effort = options.contains("--quick") ? Effort.QUICK : Effort.FULL;
        TestBroker server = TestBroker.shared();
        say("RabbitMQ " + server.version());
        boolean failed;
        try (BenchBroker broker = new BenchBroker(server.uri())) {
            Ledger ledger = new Ledger(broker, server.uri(), effort, Pattern.compile(arguments[1]));
            Map<String, String> machine = Machine.describe(server.version());
            long begin = System.nanoTime();
            List<Result> results = ledger.play();
            machine.put("took", "%s minutes".formatted(TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - begin)));
            failed = !ledger.failed.isEmpty();
            if (results.isEmpty() && !failed) {
                say("no contest has a title that contains '%s'; the titles are in docs/benchmarks.md"
                        .formatted(ledger.wanted));
                System.exit(2);
            }
            Report report = new Report(machine, effort, results);
            save(Path.of(arguments[0]), report);
            if (options.contains(DOCS) && !failed) {
                new Page(Path.of(options.get(options.indexOf(DOCS) + 1))).put(report);
            }
            System.out.println(report.markdown());
            if (options.contains("--json")) {
                System.out.println(report.summary());
            }
            ledger.failed.forEach((title, failure) -> say("'%s' failed: %s".formatted(title, failure)));
        }
        System.exit(failed ? 1 : 0); // drivers leave threads running
    }

    private static void save(Path folder, Report report) throws Exception {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("ledger.md"), report.markdown());
        Files.writeString(folder.resolve("ledger.json"), report.json());
        report.save(folder.resolve(Report.PLOTS));
        say("saved as ledger.md and ledger.json in " + folder);
    }

    /** Sections are opened in turn, so that none is measured while another's connections are open. */
    @FunctionalInterface
    private interface Opening {
        Section open() throws Exception;
    }

    private List<Result> play() throws Exception {
        List<Opening> sections = List.of(
                () -> new PublishSection(broker, effort),
                () -> new ConsumeSection(broker, effort),
                () -> new InboxSection(broker, effort),
                () -> new WaitSection(broker, uri, effort),
                () -> new FrozenSection(broker, effort),
                () -> new CostSection(broker, effort),
                () -> new StepsSection(broker),
                () -> new SagaSection(broker, effort),
                () -> new OrderSection(broker, effort),
                () -> new OutboxSection(broker, effort),
                () -> new ActiveMqSection(broker, effort),
                () -> new BrokersSection(broker, effort),
                () -> new HeldSection(broker, effort));
        Rounds rounds = new Rounds(effort, Ledger::say);
        List<Result> results = new ArrayList<>();
        for (Opening opening : sections) {
            try (Section section = opening.open()) {
                for (Contest contest : section.contests()) {
                    if (wanted.matcher(contest.title()).find()) {
                        play(ALL.equals(wanted.pattern()) ? contest : contest.alone(), rounds, results);
                    }
                }
            }
        }
        return results;
    }

    /** A contender that fails costs its contest, but not the figures of the others. */
    private void play(Contest contest, Rounds rounds, List<Result> results) throws InterruptedException {
        try {
            long begin = System.nanoTime();
            results.add(rounds.play(contest));
            say("%s: took %s s".formatted(contest.title(), TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin)));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            failed.put(contest.title(), e);
            e.printStackTrace();
        }
    }

    private static void say(String text) {
        System.err.println("bench: " + text);
    }
}
