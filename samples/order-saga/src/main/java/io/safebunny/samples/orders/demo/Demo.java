// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import java.io.PrintStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What {@code bin/demo} runs. */
public final class Demo {

    private static final Logger LOG = LoggerFactory.getLogger(Demo.class);
    private static final int LOST_OR_DOUBLED = 1;
    private static final int USAGE = 2;

    private Demo() {}

    public static void main(String[] args) {
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
        interruption.listen();
        int status = LOST_OR_DOUBLED;
        try {
            status = run(options, interruption, System.out);
        } catch (UsageException e) {
            System.err.println("demo: " + e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("The demo itself failed", e);
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
        Run run = new Run(options, interruption, out);
        Report report = options.serve() ? run.serve() : run.placeOrders();
        if (options.json()) {
            out.println(report.json());
        } else {
            String where = options.rabbit() == null ? "the broker inside this process" : "RabbitMQ";
            out.print(report.table(where));
        }
        return report.exitStatus();
    }
}
