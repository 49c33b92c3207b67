// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.impl.CredentialsProvider;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.test.broker.RabbitNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Passwords and certificates that change while the application runs, and certificates of somebody else. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(180)
class RotationIT {

    /** Tries are up to 15 s apart. */
    private static final Duration NEXT_TRY = Duration.ofSeconds(45);

    private static RabbitNode server;

    private final String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        assumeThat(RabbitNode.installedRoot())
                .as("an installed RabbitMQ server to listen for TLS")
                .isPresent();
        server = RabbitNode.startTls();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private ApplicationContextRunner runner() {
        return Nodes.bare()
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class, SslAutoConfiguration.class))
                .withBean(Handler.class)
                .withPropertyValues("spring.application.name=" + node, "test.node=" + node);
    }

    private ApplicationContextRunner tls(String host, int port, Path authority) {
        return runner().withPropertyValues(
                        "spring.rabbitmq.addresses=" + host + ":" + port,
                        "spring.rabbitmq.username=" + server.broker().username(),
                        "spring.rabbitmq.password=" + server.broker().password(),
                        "spring.rabbitmq.ssl.bundle=broker",
                        "spring.ssl.bundle.pem.broker.truststore.certificate=file:" + authority,
                        "spring.ssl.bundle.pem.broker.reload-on-update=true",
                        "spring.ssl.bundle.watch.file.quiet-period=100ms");
    }

    private static Health health(AssertableApplicationContext context) {
        return Healths.part(context, "broker");
    }

    private static void awaitUp(AssertableApplicationContext context) {
        await().atMost(NEXT_TRY)
                .untilAsserted(() -> assertThat(health(context).getStatus()).isEqualTo(Status.UP));
    }

    @Test
    void theNextConnectionTakesTheCredentialsOfNow() {
        Rotating credentials = new Rotating();
        server.control("add_user", credentials.getUsername(), credentials.password);
        server.control("set_permissions", credentials.getUsername(), ".*", ".*", ".*");
        runner().withBean(CredentialsProvider.class, () -> credentials)
                .withPropertyValues(
                        "spring.rabbitmq.addresses=127.0.0.1:" + server.broker().port())
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    awaitUp(context);
                    server.control("change_password", credentials.getUsername(), "changed");
                    credentials.password = "changed";
                    server.control("close_all_connections", "--vhost", "/", "rotated");
                    await().atMost(NEXT_TRY)
                            .until(() -> !health(context).getStatus().equals(Status.UP));

                    awaitUp(context);
                    context.getBean(Bunny.class).publish(new OrderPlaced("42"));
                    assertThat(context.getBean(Handler.class).received.next()).isEqualTo(new OrderPlaced("42"));
                });
    }

    private static final class Rotating implements CredentialsProvider {

        private volatile String password = "first";

        @Override
        public String getUsername() {
            return "rotating";
        }

        @Override
        public String getPassword() {
            return password;
        }
    }

    @Test
    void theNextConnectionTakesTheReloadedBundle(CapturedOutput output) throws Exception {
        Path trusted = Files.writeString(folder.resolve("trusted.pem"), somebodyElse());
        tls("localhost", server.tls().port(), trusted).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
            assertThat(output).contains("SB-1203", "PKIX path building failed");

            Path next = folder.resolve("next.pem");
            Files.copy(server.tls().caCertificate(), next);
            Files.move(next, trusted, StandardCopyOption.REPLACE_EXISTING);

            awaitUp(context);
            context.getBean(Bunny.class).publish(new OrderPlaced("42"));
            assertThat(context.getBean(Handler.class).received.next()).isEqualTo(new OrderPlaced("42"));
            assertThat(output).doesNotContain("deeply nested");
        });
    }

    /** In PEM. */
    private static String somebodyElse() throws GeneralSecurityException, IOException {
        KeyStore known = KeyStore.getInstance(KeyStore.getDefaultType());
        try (InputStream stream =
                Files.newInputStream(Path.of(System.getProperty("java.home"), "lib", "security", "cacerts"))) {
            known.load(stream, "changeit".toCharArray());
        }
        byte[] certificate = known.getCertificate(known.aliases().nextElement()).getEncoded();
        return "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate)
                + "\n-----END CERTIFICATE-----\n";
    }

    @Test
    void aCertificateForAnotherHostIsRefusedByName(CapturedOutput output) throws Exception {
        try (ServerSocket elsewhere = relay()) {
            tls("127.0.0.2", elsewhere.getLocalPort(), server.tls().caCertificate())
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                        assertThat(health(context).getDetails().toString())
                                .contains("No subject alternative names matching IP address 127.0.0.2 found");
                        assertThat(output)
                                .contains(
                                        "SB-1203",
                                        "127.0.0.2:" + elsewhere.getLocalPort(),
                                        "No subject alternative names matching IP address 127.0.0.2 found");
                    });
        }
    }

    /** The same server at an address that its certificate does not name. */
    private static ServerSocket relay() throws IOException {
        ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.2"));
        daemon(() -> {
            while (true) {
                Socket client = entrance.accept();
                Socket target = new Socket(
                        InetAddress.getLoopbackAddress(), server.tls().port());
                daemon(() -> client.getInputStream().transferTo(target.getOutputStream()));
                daemon(() -> target.getInputStream().transferTo(client.getOutputStream()));
            }
        });
        return entrance;
    }

    @FunctionalInterface
    private interface Transfer {
        void run() throws IOException;
    }

    private static void daemon(Transfer transfer) {
        Thread thread = new Thread(
                () -> {
                    try {
                        transfer.run();
                    } catch (IOException e) {
                        // one side has ended, or the test
                    }
                },
                "relay");
        thread.setDaemon(true);
        thread.start();
    }

    static class Handler {
        final Received<OrderPlaced> received = new Received<>();

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced payload) {
            received.add(payload);
        }
    }
}
