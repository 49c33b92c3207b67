// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.instance;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;

/** The process of an {@link Instance}. Its standard output is the ledger, one line per message handled; it ends with its parent. */
public final class InstanceMain {

    static final String READY = "READY.";
    static final String HANDLED = "HANDLED ";

    private static final Duration GRACE = Duration.ofSeconds(20);

    private InstanceMain() {}

    public static void main(String... arguments) throws IOException {
        InstanceOptions options = InstanceOptions.of(arguments);
        serve(ledger -> NodeUnderTest.start(options, (payload, context) -> {
            Job job = (Job) payload;
            if (job.kills()) {
                Runtime.getRuntime().halt(137);
            }
            Thread.sleep(options.handling().toMillis());
            ledger.accept(job.id());
        }));
    }

    /**
     * Runs the node until this process is told to end.
     *
     * @param start is given the ledger, to which the node's handlers tell the id of what they handled
     */
    public static void serve(Function<Consumer<String>, NodeUnderTest> start) throws IOException {
        NodeUnderTest node = start.apply(id -> say(HANDLED + id + '.'));
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
