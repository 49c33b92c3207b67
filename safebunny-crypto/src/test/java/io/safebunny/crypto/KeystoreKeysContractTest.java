// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.KeyProvider;
import io.safebunny.test.contract.KeyProviderContract;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.io.TempDir;

class KeystoreKeysContractTest extends KeyProviderContract {

    private static final String PASSWORD = "changeit";

    @TempDir
    private Path folder;

    private final Map<String, Integer> versions = new HashMap<>(Map.of("payments", 1, "names", 1));

    /** With the keys of now: an instance reads the file when it starts. */
    @Override
    protected KeyProvider keys() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Map.Entry<String, Integer> key : versions.entrySet()) {
            for (int version = 1; version <= key.getValue(); version++) {
                String alias = key.getKey() + "-" + version;
                byte[] bytes = Arrays.copyOf(alias.getBytes(StandardCharsets.US_ASCII), 32);
                store.setEntry(
                        alias,
                        new KeyStore.SecretKeyEntry(new SecretKeySpec(bytes, "AES")),
                        new KeyStore.PasswordProtection(PASSWORD.toCharArray()));
            }
        }
        Path file = Files.createTempFile(folder, "keys", ".p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
        return new KeystoreKeys(file, "PKCS12", PASSWORD);
    }

    @Override
    protected void rotate(String key) {
        versions.merge(key, 1, Integer::sum);
    }
}
