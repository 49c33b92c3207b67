// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nobody reads what is written: socket buffers fill, and a thread that writes stays in the socket. */
@Timeout(180)
@Tag("once")
class StuckWriterIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    @RegisterExtension
    static final NodeOfClass NODE = new NodeOfClass();

    private static final int CALLERS = 40;

    private static ProxiedPublisher publisherTo(TestBroker broker) {
        ProxiedPublisher publisher = new ProxiedPublisher(broker, 8, TIMEOUT).start();
        openChannels(publisher);
        return publisher;
    }

    /** So that those who come later wait in the socket, and not for an answer to the opening of a channel. */
    private static void openChannels(ProxiedPublisher publisher) {
        assertThat(callers(publisher)).allSatisfy(caller -> assertThat(caller).succeedsWithin(TIMEOUT.plusSeconds(1)));
    }

    @Test
    void callersAreBackWhenTheNetworkStalls() {
        try (ProxiedPublisher publisher = publisherTo(TestBroker.shared())) {
            publisher.proxy.stall();
            assertBackInTime(callers(publisher));
            publisher.proxy.resume();
            assertFlowsAgain(publisher);
            publisher.deleteAll();
        }
    }

    @Test
    void callersAreBackWhenTheNetworkUnderTlsStalls() throws Exception {
        assumeTrue(RabbitNode.installedRoot().isPresent(), "Needs an installed RabbitMQ server to listen for TLS");
        try (RabbitNode node = RabbitNode.startTls()) {
            SSLContext trusting = trusting(node.tls().caCertificate());
            try (ProxiedPublisher publisher = new ProxiedPublisher(
                    node.broker(), node.tls().port(), client -> client.useSslProtocol(trusting), 8, TIMEOUT)) {
                publisher.start();
                openChannels(publisher);
                publisher.proxy.stall();
                assertBackInTime(callers(publisher));
                publisher.proxy.resume();
                assertFlowsAgain(publisher);
                publisher.proxy.stall();
                assertClosesSoon(publisher);
            }
        }
    }

    @Test
    void callersAreBackWhenTheBrokerFreezes() {
        try (ProxiedPublisher publisher = publisherTo(NODE.get().broker())) {
            NODE.get().pause();
            assertBackInTime(callers(publisher));
            NODE.get().resume();
            assertFlowsAgain(publisher);
        }
    }

    @Test
    void callersAreBackWhenAnAlarmBeganWhileTheyWrote() {
        try (ProxiedPublisher publisher = publisherTo(NODE.get().broker())) {
            NODE.memoryAlarm(true);
            assertBackInTime(callers(publisher));
            NODE.memoryAlarm(false);
            assertFlowsAgain(publisher);
        }
    }

    @Test
    void closesSoonWhenTheNetworkStalls() {
        try (ProxiedPublisher publisher = publisherTo(TestBroker.shared())) {
            publisher.proxy.stall();
            assertClosesSoon(publisher);
            publisher.deleteAll();
        }
    }

    @Test
    void closesSoonWhenTheBrokerFreezes() {
        try (ProxiedPublisher publisher = publisherTo(NODE.get().broker())) {
            NODE.get().pause();
            assertClosesSoon(publisher);
            long start = System.nanoTime();
            publisher.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        }
    }

    private static void assertClosesSoon(ProxiedPublisher publisher) {
        List<CompletableFuture<Duration>> callers = callers(publisher);
        await().during(Duration.ofMillis(500)).untilAsserted(() -> assertThat(callers)
                .allSatisfy(caller -> assertThat(caller).isNotDone())); // says what one got that did not wait
        long start = System.nanoTime();

        publisher.transport.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(9));
        assertThat(callers).allSatisfy(caller -> assertThat(caller).succeedsWithin(Duration.ofSeconds(5)));
    }

    private static void assertFlowsAgain(ProxiedPublisher publisher) {
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(publisher.send("afterwards")).succeedsWithin(TIMEOUT));
        assertThat(publisher.transport.status().usable()).isTrue();
    }

    private static void assertBackInTime(List<CompletableFuture<Duration>> callers) {
        assertThat(callers).hasSize(CALLERS).allSatisfy(caller -> assertThat(caller)
                .succeedsWithin(TIMEOUT.plusSeconds(5))
                .satisfies(took -> assertThat(took).isLessThan(TIMEOUT.plusSeconds(1))));
    }

    /** Each tells how long it took to end. */
    private static List<CompletableFuture<Duration>> callers(ProxiedPublisher publisher) {
        List<CompletableFuture<Duration>> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            String id = "caller-" + i;
            callers.add(CompletableFuture.supplyAsync(() -> publish(publisher, id), publisher.threads));
        }
        return callers;
    }

    private static Duration publish(ProxiedPublisher publisher, String id) {
        long start = System.nanoTime();
        CompletableFuture<Void> sent = publisher.send(id, new byte[1 << 20]);
        Throwable failure = sent.handle((none, thrown) -> thrown).join();
        if (failure != null) { // a broker with an alarm may still take the first one
            assertThat(failure).isInstanceOfAny(PublishTimeoutException.class, ConnectionLostException.class);
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static SSLContext trusting(Path certificate) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            store.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
