// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.UUID;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** TLS on loopback with self-signed certificates. */
final class SelfSigned {

    private static final String PASSWORD_VARIABLE = "SAFEBUNNY_KEYS_PASSWORD";

    private SelfSigned() {}

    /** A client that trusts every certificate. */
    static HttpClient client() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .sslContext(context(null))
                .build();
    }

    /** The context of a server, with a new key pair made by the JDK's keytool. */
    static SSLContext server() {
        String password = UUID.randomUUID().toString();
        try {
            Path folder = Files.createTempDirectory("safebunny-keys-");
            Path file = folder.resolve("keys.p12");
            try {
                generate(file, password);
                try (InputStream stream = Files.newInputStream(file)) {
                    KeyStore keys = KeyStore.getInstance("PKCS12");
                    keys.load(stream, password.toCharArray());
                    KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                    managers.init(keys, password.toCharArray());
                    return context(managers.getKeyManagers());
                }
            } finally {
                Files.deleteIfExists(file);
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new DatabaseUnavailableException("Cannot read the key that keytool made: see the cause.", e);
        }
    }

    private static SSLContext context(KeyManager @Nullable [] keys) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {new TrustEverybody()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new DatabaseUnavailableException("This Java has no TLS: see the cause.", e);
        }
    }

    private static void generate(Path file, String password) throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass:env",
                        PASSWORD_VARIABLE,
                        "-alias",
                        "server",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-validity",
                        "2")
                .redirectErrorStream(true);
        // not as an argument, which other users can read
        command.environment().put(PASSWORD_VARIABLE, password);
        Process keytool = command.start();
        keytool.getOutputStream().close();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (keytool.waitFor() != 0) {
                throw new DatabaseUnavailableException("Cannot make a certificate: keytool failed.\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseUnavailableException("Interrupted while keytool ran.", e);
        }
    }

    /** Trusts every certificate. An extended trust manager, so that host names are not checked either. */
    private static final class TrustEverybody extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
