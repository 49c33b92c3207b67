// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;

/** A traced node in a process of its own, which bills what is ordered, and tells its spans. */
final class BillingProcess implements AutoCloseable {

    private static final String PASSWORD = "SPRING_RABBITMQ_PASSWORD";
    private static final String READY = "READY";
    private static final String SPAN = "SPAN ";

    record Invoiced(String orderId) {}

    /** A span of the other process. */
    record Told(String traceId, String spanId, String parentSpanId, String name) {}

    private final Process process;
    private final BufferedReader lines;

    private BillingProcess(Process process) {
        this.process = process;
        this.lines = process.inputReader(StandardCharsets.UTF_8);
    }

    /** @param properties of the node; the password goes another way */
    static BillingProcess start(String password, List<String> properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                BillingProcess.class.getName()));
        command.addAll(properties);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put(PASSWORD, password);
        BillingProcess billing = new BillingProcess(builder.start());
        billing.await(READY);
        return billing;
    }

    private String await(String beginning) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(beginning)) {
                return line;
            }
        }
        throw new IOException("The other process has ended before it said " + beginning);
    }

    /** Waits for its next span with such a name. */
    Told span(String name) throws IOException {
        while (true) {
            String[] fields = await(SPAN).split(" ", 5);
            if (fields[4].startsWith(name)) {
                return new Told(fields[1], fields[2], fields[3], fields[4]);
            }
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] properties) {
        Spans spans = new Spans() {
            @Override
            public CompletableResultCode export(Collection<SpanData> ended) {
                ended.forEach(BillingProcess::tell);
                return CompletableResultCode.ofSuccess();
            }
        };
        spans.in(Nodes.bare())
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withBean(Billing.class)
                .withPropertyValues(Arrays.stream(properties).toArray(String[]::new))
                .run(context -> {
                    context.getBean(Bunny.class);
                    say(READY);
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
                });
    }

    private static void tell(SpanData span) {
        say(SPAN + span.getTraceId() + ' ' + span.getSpanId() + ' ' + span.getParentSpanId() + ' ' + span.getName());
    }

    private static void say(String line) {
        System.out.println(line);
    }

    static class Billing {
        private final Bunny bunny;

        Billing(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "${test.shop}")
        void on(OrderPlaced order) {
            bunny.publish(new Invoiced(order.orderId()));
        }
    }
}
