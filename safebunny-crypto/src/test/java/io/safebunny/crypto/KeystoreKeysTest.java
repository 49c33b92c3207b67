// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.failure.ConfigurationException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeystoreKeysTest {

    private static final String PASSWORD = "changeit";

    @TempDir
    private Path folder;

    private int writes;

    /** Replaces the file at once, as an operator should; the keys of an alias are always the same. */
    private Path write(String... aliases) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (String alias : aliases) {
            byte[] key = Arrays.copyOf(alias.getBytes(StandardCharsets.US_ASCII), 32);
            store.setEntry(
                    alias,
                    new KeyStore.SecretKeyEntry(new SecretKeySpec(key, "AES")),
                    new KeyStore.PasswordProtection(PASSWORD.toCharArray()));
        }
        Path next = folder.resolve("next.p12");
        try (OutputStream out = Files.newOutputStream(next)) {
            store.store(out, PASSWORD.toCharArray());
        }
        Path file = folder.resolve("keys.p12");
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L + 1_000L * writes++));
        return file;
    }

    private KeystoreKeys keys(String... aliases) throws IOException, GeneralSecurityException {
        return new KeystoreKeys(write(aliases), "PKCS12", PASSWORD);
    }

    @Test
    void opensWhatItWrapped() throws Exception {
        KeystoreKeys keys = keys("payments-1");
        DataKey made = keys.current("payments");

        assertThat(made.wrapped().keyId()).isEqualTo("payments-1");
        assertThat(made.key().getEncoded()).hasSize(32);
        assertThat(keys.open(made.wrapped())).isEqualTo(made.key());
        assertThat(keys.current("payments").key()).isNotEqualTo(made.key());
    }

    @Test
    void theHighestNumberWraps() throws Exception {
        KeystoreKeys keys = keys("payments-9", "payments-10", "payments-eu-11", "names-12");

        assertThat(keys.current("payments").wrapped().keyId()).isEqualTo("payments-10");
        assertThat(keys.current("payments-eu").wrapped().keyId()).isEqualTo("payments-eu-11");
    }

    @Test
    void aFileThatChangesIsReadAgain() throws Exception {
        KeystoreKeys keys = keys("payments-1");
        KeystoreKeys other = keys("payments-1", "payments-2");
        DataKey made = other.current("payments");

        assertThat(made.wrapped().keyId()).isEqualTo("payments-2");
        assertThat(keys.open(made.wrapped())).isEqualTo(made.key());
        assertThat(keys.current("payments").wrapped().keyId()).isEqualTo("payments-2");
    }

    @Test
    void whoAsksWhileTheFileIsBeingReadGetsWhatIsInIt() throws Exception {
        String[] aliases = IntStream.rangeClosed(1, 30)
                .mapToObj(version -> "payments-" + version)
                .toArray(String[]::new); // so many that reading them takes a while
        KeystoreKeys keys = keys("payments-1");
        DataKey made = keys(aliases).current("payments");
        int threads = 8;
        CyclicBarrier together = new CyclicBarrier(threads);
        ExecutorService askers = Executors.newFixedThreadPool(threads);
        try {
            List<Future<SecretKey>> asked = IntStream.range(0, threads)
                    .mapToObj(thread -> askers.submit(() -> {
                        together.await();
                        return keys.open(made.wrapped());
                    }))
                    .toList();
            for (Future<SecretKey> one : asked) {
                assertThat(one.get()).isEqualTo(made.key());
            }
        } finally {
            askers.shutdownNow();
        }
    }

    @Test
    void whileTheFileCannotBeReadTheKeysStay() throws Exception {
        KeystoreKeys keys = keys("payments-1");
        DataKey made = keys.current("payments");
        Files.writeString(folder.resolve("keys.p12"), "half a file");

        assertThat(keys.current("payments").wrapped().keyId()).isEqualTo("payments-1");
        assertThat(keys.open(made.wrapped())).isEqualTo(made.key());
        Files.delete(folder.resolve("keys.p12"));
        assertThat(keys.current("payments").wrapped().keyId()).isEqualTo("payments-1");
    }

    @Test
    void theKeyOfHashesStaysTheSameUntilTheOldestVersionGoes() throws Exception {
        KeystoreKeys keys = keys("payments-9", "names-1");
        SecretKey first = Objects.requireNonNull(keys.hashKey("payments"));

        assertThat(first.getEncoded()).hasSize(32);
        assertThat(keys("payments-9", "payments-10").hashKey("payments")).isEqualTo(first);
        assertThat(keys("payments-10").hashKey("payments")).isNotNull().isNotEqualTo(first);
        assertThat(keys.hashKey("names")).isNotNull().isNotEqualTo(first);
        assertThat(keys.hashKey("others")).isNull();
    }

    @Test
    void aKeyThatIsNotThereIsUnknown() throws Exception {
        KeystoreKeys keys = keys("payments-1");

        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.current("names"))
                .withMessageContainingAll("key=names", "keytool -genseckey -alias names-1");
        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(new WrappedKey("payments-2", new byte[40])))
                .withMessageContaining("payments-2");
    }

    @Test
    void whatAnotherKeyWrappedIsRefused() throws Exception {
        KeystoreKeys keys = keys("payments-1", "names-1");
        WrappedKey wrapped = keys.current("payments").wrapped();

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> keys.open(new WrappedKey("names-1", wrapped.bytes())));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> keys.open(new WrappedKey("payments-1", new byte[0])));
    }

    @Test
    void doesNotStartWithoutItsFile() throws Exception {
        Path file = write("payments-1");

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new KeystoreKeys(folder.resolve("other.p12"), "PKCS12", PASSWORD))
                .withMessageContainingAll("SB-1313", "other.p12", "NoSuchFileException");
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new KeystoreKeys(file, "PKCS12", "wrong"))
                .withMessageContaining("password");
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new KeystoreKeys(file, "PKCS13", PASSWORD))
                .withMessageContaining("PKCS13");
    }
}
