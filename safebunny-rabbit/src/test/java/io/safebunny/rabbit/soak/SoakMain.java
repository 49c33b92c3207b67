// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import tools.jackson.databind.json.JsonMapper;

/** Entry point of {@code bin/soak}: progress on standard error, the result as one line of JSON on standard output. */
final class SoakMain {

    private SoakMain() {}

    public static void main(String... arguments) throws IOException, InterruptedException {
        SoakOptions options = SoakOptions.of(arguments);
        boolean passed;
        try (SystemTimeline timeline = new SystemTimeline("soak");
                Report report = new Report(options.logs());
                Brokers brokers = Brokers.start(options.cluster())) {
            report.progress("RabbitMQ %s, %d broker(s), seed %d, %d s"
                    .formatted(
                            brokers.version(),
                            brokers.nodes().size(),
                            options.seed(),
                            options.duration().toSeconds()));
            passed = run(options, brokers, timeline, report);
        }
        System.exit(passed ? 0 : 1);
    }

    private static boolean run(SoakOptions options, Brokers brokers, SystemTimeline timeline, Report report)
            throws IOException, InterruptedException {
        boolean passed = false;
        try {
            Result result = new Soak(options, brokers, timeline, report).run();
            System.out.println(new JsonMapper().writeValueAsString(result));
            passed = result.passed();
        } finally {
            if (!passed) {
                brokers.copyLogs(options.logs());
                report.progress("logs are in " + options.logs());
            }
        }
        return passed;
    }
}
