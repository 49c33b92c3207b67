// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request to end the demo, by Ctrl-C, a signal or the key Enter. Work in progress is finished before the process ends. */
final class Interruption {

    private static final Logger LOG = LoggerFactory.getLogger(Interruption.class);

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CompletableFuture<Integer> status = new CompletableFuture<>();

    void request() {
        requested.countDown();
    }

    /** @return whether it was requested within that time */
    boolean awaitFor(Duration time) {
        try {
            return requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Makes signals request an interruption; the process then ends with the status given to {@link #end}. */
    void listen() {
        Thread hook = new Thread(
                () -> {
                    request();
                    int ended = status.completeOnTimeout(1, 2, TimeUnit.MINUTES).join();
                    // the only way for a process ended by a signal to choose its exit status
                    Runtime.getRuntime().halt(ended);
                },
                "demo-interruption");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Makes a line of input request an interruption; its end does not, because whoever starts the demo in the background may give it none. */
    void listenTo(InputStream keys) {
        Thread reader = new Thread(
                () -> {
                    try {
                        int key = keys.read();
                        while (key >= 0 && key != '\n') {
                            key = keys.read();
                        }
                        if (key >= 0) {
                            request();
                        }
                    } catch (IOException e) {
                        LOG.debug("Nobody can press Enter any more", e);
                    }
                },
                "demo-keys");
        reader.setDaemon(true);
        reader.start();
    }

    void end(int exitStatus) {
        status.complete(exitStatus);
    }
}
