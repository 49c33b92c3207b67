// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.claimcheck.BodyMeters;
import io.safebunny.claimcheck.FileBodyStore;
import io.safebunny.claimcheck.StoringClaimCheck;
import io.safebunny.crypto.EncryptingCodec;
import io.safebunny.crypto.KeystoreKeys;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.node.Codecs;
import io.safebunny.node.Compression;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** A keystore that is rotated, as an operator does it: by a new file in place of the old one. Not thread-safe. */
final class KeyFile implements AutoCloseable {

    /** Of the key. */
    static final String NAME = "payments";

    private static final String TYPE = "PKCS12";
    private static final String PASSWORD = "proof-of-bodies";
    private static final int BYTES = 32;
    /** No encrypted body is that small. */
    private static final int SENT_WITH_MESSAGE = 64;

    private final SecureRandom random = new SecureRandom();
    private final Path folder = Files.createTempDirectory("safebunny-keys-");
    private final KeyStore keys = KeyStore.getInstance(TYPE);
    private int versions;

    /** With one version of the key. */
    KeyFile() throws IOException, GeneralSecurityException {
        keys.load(null, null);
        rotate();
    }

    Path path() {
        return folder.resolve("keys.p12");
    }

    /** Adds a version. */
    void rotate() throws IOException, GeneralSecurityException {
        byte[] key = new byte[BYTES];
        random.nextBytes(key);
        keys.setEntry(
                NAME + '-' + ++versions,
                new KeyStore.SecretKeyEntry(new SecretKeySpec(key, "AES")),
                new KeyStore.PasswordProtection(PASSWORD.toCharArray()));
        Path next = folder.resolve("next.p12");
        try (OutputStream out = Files.newOutputStream(next)) {
            keys.store(out, PASSWORD.toCharArray());
        }
        Files.move(next, path(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    int versions() {
        return versions;
    }

    /** What a process reads from it. */
    static KeyProvider keys(Path file) {
        return new KeystoreKeys(file, TYPE, PASSWORD);
    }

    /** Encrypts and decrypts with these keys. */
    static Codecs codecs(KeyProvider keys, Timeline timeline) {
        return codecs(keys, null, timeline);
    }

    /**
     * Encrypts and decrypts with these keys.
     *
     * @param bodies folder in which all but the smallest bodies are kept; {@code null} to send them with their messages
     */
    static Codecs codecs(KeyProvider keys, @Nullable Path bodies, Timeline timeline) {
        StoringClaimCheck claimCheck = bodies == null
                ? null
                : new StoringClaimCheck(
                        List.of(new FileBodyStore(bodies, timeline)),
                        null,
                        SENT_WITH_MESSAGE,
                        Duration.ofDays(1),
                        timeline,
                        new BodyMeters(new SimpleMeterRegistry()));
        return new Codecs(List.of(new EncryptingCodec(keys, timeline, Set.of())), null, Compression.NONE, claimCheck);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path());
        Files.delete(folder);
    }
}
