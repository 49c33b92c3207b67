// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class TlsIT {

    private static RabbitNode node;

    @BeforeAll
    static void start() {
        InstalledServer.assume();
        node = RabbitNode.startTls();
    }

    @AfterAll
    static void close() {
        if (node != null) {
            node.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1"})
    void acceptsAClientThatTrustsTheAuthorityAndVerifiesTheHost(String host) throws Exception {
        try (Connection connection = factory(host, trusting()).newConnection()) {
            assertThat(connection.isOpen()).isTrue();
        }
    }

    @Test
    void aClientThatDoesNotKnowTheAuthorityRefuses() {
        assertThatThrownBy(() -> factory("localhost", SSLContext.getDefault()).newConnection())
                .isInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void listensForPlainConnectionsToo() {
        assertThat(Amqp.answers(node.broker().uri())).isTrue();
    }

    private static ConnectionFactory factory(String host, SSLContext context) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(host);
        factory.setPort(node.tls().port());
        factory.setUsername(node.broker().username());
        factory.setPassword(node.broker().password());
        factory.useSslProtocol(context);
        factory.enableHostnameVerification();
        return factory;
    }

    private static SSLContext trusting() throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream pem = Files.newInputStream(node.tls().caCertificate())) {
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
