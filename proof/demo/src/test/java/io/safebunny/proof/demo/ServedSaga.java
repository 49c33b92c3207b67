// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.awaitility.Awaitility.await;

import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.Options;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A running {@code bin/demo --serve}. */
final class ServedSaga implements AutoCloseable {

    private final Interruption interruption = new Interruption();
    private final CompletableFuture<Report> report;
    private final Output output = new Output();

    private ServedSaga(Options options) {
        Run run = new Run(options, interruption, output.stream());
        report = new CompletableFuture<>();
        Thread thread = new Thread(() -> serve(run), "served-saga");
        thread.setDaemon(true);
        thread.start();
        await().atMost(Duration.ofMinutes(3)) // five applications, on a machine that may be busy
                .until(() -> report.isDone()
                        || output.text()
                                .contains("ready: publish PlaceOrder to exchange 'safebunny' with routing key"
                                        + " 'storefront-PlaceOrder'"));
    }

    private void serve(Run run) {
        try {
            report.complete(run.serve());
        } catch (Throwable e) {
            report.completeExceptionally(e);
        }
    }

    static ServedSaga start(Options options) {
        return new ServedSaga(options.with(Options.Flag.SERVE));
    }

    /** Its output so far. */
    String printed() {
        return output.text();
    }

    /** Stops it as Ctrl-C would. */
    Report stop() throws Exception {
        interruption.request();
        return report.get(1, TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        interruption.request();
    }
}
