// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The executable jar in a process of its own, asked for its topology as an operator would ask it. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("once")
class ExecutableJarIT {

    private static final Path JAR = Path.of("target", "demo.jar");
    private static final String QUEUE = "billing-OrderPlaced";

    @TempDir
    private Path folder;

    private SagaBroker broker;
    private TestBroker host;

    private record Answer(int status, String out, String err) {}

    @BeforeEach
    void open() throws Exception {
        Assumptions.assumeTrue(TestBroker.shared().isPrivate(), "what others declared is there already");
        host = TestBroker.shared().createVirtualHost("order-saga-plan-" + UUID.randomUUID());
        broker = SagaBroker.of(host);
    }

    @AfterEach
    void close() throws Exception {
        if (broker != null) {
            broker.close();
        }
    }

    private List<String> command(String... more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-jar",
                JAR.toString(),
                "--node=billing",
                "--rabbit=" + host.uri()));
        command.addAll(List.of(more));
        return command;
    }

    private Answer ask(String action) throws Exception {
        return run(new ProcessBuilder(command("--safebunny.topology=" + action)));
    }

    private Answer run(ProcessBuilder builder) throws Exception {
        Path out = Files.createTempFile(folder, "out", ".log");
        Path err = Files.createTempFile(folder, "err", ".log");
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            boolean ended = process.waitFor(60, TimeUnit.SECONDS);
            assertThat(ended)
                    .as("ended by itself:%n%s%n%s", Files.readString(out), Files.readString(err))
                    .isTrue();
            return new Answer(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            process.destroyForcibly();
        }
    }

    /** A node that consumed it would have handled it, or left a mark on it. */
    private void requireUntouched(String id) throws IOException, InterruptedException {
        try (Channel channel = broker.channel()) {
            GetResponse message = channel.basicGet(QUEUE, false);
            assertThat(message).as("the message in " + QUEUE).isNotNull();
            assertThat(message.getProps().getMessageId()).isEqualTo(id);
            assertThat(message.getEnvelope().isRedeliver()).as("was delivered").isFalse();
            assertThat(message.getMessageCount()).as("others in " + QUEUE).isZero();
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private boolean exists() throws IOException {
        Channel channel = broker.channel(); // which the broker closes when there is none
        try {
            channel.queueDeclarePassive(QUEUE);
            return true;
        } catch (IOException missing) {
            assertThat(missing).hasCauseInstanceOf(ShutdownSignalException.class);
            return false;
        }
    }

    @Test
    void printsThePlanAndConsumesNothing() throws Exception {
        Answer missing = ask("plan");
        assertThat(missing.status()).as(missing.err()).isEqualTo(2);
        assertThat(missing.out())
                .contains("+ queue '" + QUEUE + "' {", " 0 different, 0 not compared, 0 as planned")
                .doesNotContain("is running");
        assertThat(exists()).as("after plan").isFalse();

        Answer applied = ask("apply");
        assertThat(applied.status()).as(applied.err()).isZero();
        assertThat(exists()).as("after apply").isTrue();
        String id = "untouched-" + UUID.randomUUID();
        try (Channel channel = broker.channel()) {
            channel.confirmSelect();
            channel.basicPublish(
                    "",
                    QUEUE,
                    new BasicProperties.Builder()
                            .messageId(id)
                            .correlationId(id)
                            .type("OrderPlaced")
                            .appId("orders")
                            .contentType("application/json")
                            .build(),
                    "{}".getBytes(StandardCharsets.UTF_8));
            channel.waitForConfirmsOrDie(10_000);
        }

        Answer planned = ask("plan");

        assertThat(planned.status()).as(planned.err()).isZero();
        assertThat(planned.out())
                .startsWith("0 missing, 0 different, 0 not compared")
                .hasLineCount(1);
        requireUntouched(id);
    }

    @Test
    void isAskedByTheEnvironmentToo() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command());
        builder.environment().put("SAFEBUNNY_TOPOLOGY", "plan");

        Answer missing = run(builder);

        assertThat(missing.status()).as(missing.err()).isEqualTo(2);
        assertThat(missing.out()).contains("+ queue '" + QUEUE + "' {");
        assertThat(exists()).isFalse();
    }
}
