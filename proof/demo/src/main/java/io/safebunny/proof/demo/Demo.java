// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.CommandLine;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.UsageException;
import java.io.PrintStream;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What {@code bin/demo} runs. */
public final class Demo {

    private static final Logger LOG = LoggerFactory.getLogger(Demo.class);
    private static final int LOST_OR_DOUBLED = 1;
    private static final int USAGE = 2;

    private Demo() {}

    public static void main(String[] args) {
        if (args.length == 1 && args[0].equals(Instance.ARGUMENT)) {
            PrintStream answers = System.out;
            System.setOut(System.err); // no log line, whoever configures the log, may come between the answers
            System.exit(Instance.run(System.in, answers));
            return;
        }
        if (CommandLine.asksForHelp(args)) {
            System.out.println(CommandLine.USAGE);
            return;
        }
        Options options;
        try {
            options = CommandLine.parse(args);
        } catch (UsageException e) {
            System.err.println("demo: " + e.getMessage());
            System.err.println(CommandLine.USAGE);
            System.exit(USAGE);
            return;
        }
        Interruption interruption = new Interruption();
        if (!options.asksForTopology() && System.getenv("SAFEBUNNY_TOPOLOGY") == null) {
            interruption.listen(); // a node that shows its topology ends the process itself, and nothing is in progress
        }
        if (options.dashboard() && !options.serve()) {
            interruption.listenTo(System.in);
        }
        int status = LOST_OR_DOUBLED;
        try {
            status = run(options, interruption, System.out);
        } catch (UsageException e) {
            System.err.println("demo: " + e.getMessage());
        } catch (RuntimeException e) {
            if (interruption.awaitFor(Duration.ZERO)) {
                System.err.println("demo: interrupted"); // the private servers end with the process too
            } else {
                LOG.error("The demo itself failed", e);
            }
        } finally {
            System.out.flush();
            interruption.end(status);
        }
        System.exit(status);
    }

    static int run(Options options, Interruption interruption, PrintStream out) {
        if (options.node() != null) {
            new NodeProcess(options, options.node(), interruption, out).run();
            return 0;
        }
        Report report = report(options, interruption, out);
        out.print(summary(options, report));
        return report.exitStatus();
    }

    static String summary(Options options, Report report) {
        if (options.json()) {
            return report.json() + System.lineSeparator();
        }
        return report.table(where(options)) + (options.serve() ? ofThisProcess() : options.dashboard() ? ofYou() : "");
    }

    private static String ofYou() {
        return "%nIt counts your repairs, too: what was skipped or discarded on the page is not undone, or counts as lost.%n"
                .formatted();
    }

    /** A serving process may not be the only one: several may share the work, without knowing of each other. */
    private static String ofThisProcess() {
        return "%nThis counts what process %s did and has in its ledger. If others serve the same broker, look at theirs too:%nwhat ended in one of them counts as lost in this one unless they share the ledger.%n"
                .formatted(ProcessHandle.current().pid());
    }

    private static Report report(Options options, Interruption interruption, PrintStream out) {
        if (options.kill()) {
            return new KillRun(options, interruption, out).run();
        }
        Run run = new Run(options, interruption, out);
        if (options.serve()) {
            return run.serve();
        }
        return options.dashboard() ? run.show() : run.placeOrders();
    }

    private static String where(Options options) {
        boolean embedded = options.rabbit() == null && !options.kill();
        return "%s; handled messages%s are remembered in %s"
                .formatted(
                        embedded ? "the broker inside this process" : "RabbitMQ",
                        options.orchestrated() ? " and sagas" : "",
                        options.store().kind().description());
    }
}
