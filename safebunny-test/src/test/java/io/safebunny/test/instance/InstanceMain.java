// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.instance;

import java.io.IOException;
import java.time.Duration;

/** The process of an {@link Instance}. Its standard output is the ledger, one line per job handled; it ends with its parent. */
final class InstanceMain {

    static final String READY = "READY.";
    static final String HANDLED = "HANDLED ";

    private static final Duration GRACE = Duration.ofSeconds(20);

    private InstanceMain() {}

    public static void main(String... arguments) throws IOException {
        InstanceOptions options = InstanceOptions.of(arguments);
        NodeUnderTest node = NodeUnderTest.start(options, (payload, context) -> {
            Job job = (Job) payload;
            if (job.kills()) {
                Runtime.getRuntime().halt(137);
            }
            Thread.sleep(options.handling().toMillis());
            say(HANDLED + job.id() + '.');
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> node.stop(GRACE), "stop"));
        say(READY);
        while (System.in.read() >= 0) {
            // the parent never writes: the end of the stream is its end
        }
        System.exit(0);
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
