// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/** A certificate authority for one node and the certificate that it has signed, in PEM, created with the JDK's keytool. */
record Certificates(Path authority, Path server, Path serverKey) {

    private static final String PASSWORD_VARIABLE = "SAFEBUNNY_KEYS_PASSWORD";

    static Certificates create(Path folder) {
        String password = UUID.randomUUID().toString();
        Path store = folder.resolve("keys.p12");
        generate(
                store,
                password,
                "ca",
                "CN=SafeBunny test CA",
                "-ext",
                "bc:c=ca:true",
                "-ext",
                "ku:c=keyCertSign,cRLSign");
        generate(store, password, "server", "CN=localhost", "-signer", "ca", "-ext", "san=dns:localhost,ip:127.0.0.1");
        Certificates certificates = new Certificates(
                folder.resolve("ca.pem"), folder.resolve("server.pem"), folder.resolve("server-key.pem"));
        try (InputStream stream = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(stream, password.toCharArray());
            write(
                    certificates.authority,
                    "CERTIFICATE",
                    keys.getCertificate("ca").getEncoded());
            write(
                    certificates.server,
                    "CERTIFICATE",
                    keys.getCertificate("server").getEncoded());
            write(
                    certificates.serverKey,
                    "PRIVATE KEY",
                    keys.getKey("server", password.toCharArray()).getEncoded());
            return certificates;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new BrokerUnavailableException("Cannot read the keys that keytool made: see the cause.", e);
        }
    }

    private static void generate(Path store, String password, String alias, String name, String... more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass:env",
                PASSWORD_VARIABLE,
                "-alias",
                alias,
                "-dname",
                name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2"));
        command.addAll(List.of(more));
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            // not as an argument, which other users can read
            builder.environment().put(PASSWORD_VARIABLE, password);
            Process keytool = builder.start();
            keytool.getOutputStream().close();
            String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new BrokerUnavailableException(
                        "Cannot make a certificate [alias=" + alias + "]: keytool failed. See its output.\n" + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerUnavailableException("Interrupted while keytool ran.", e);
        }
    }

    private static void write(Path file, String type, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }
}
