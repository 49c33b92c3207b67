// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import io.safebunny.time.Timeline;
import io.safebunny.vault.Answer.Forbidden;
import io.safebunny.vault.Answer.Given;
import io.safebunny.vault.Answer.Refused;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.springframework.vault.core.VaultOperations;

/**
 * Keys in the Transit secrets engine of HashiCorp Vault or OpenBao. Data keys are wrapped by the newest version of a key, and every version
 * that {@code min_decryption_version} allows opens them. A call lasts five seconds at most. Thread-safe; close it to end its threads.
 */
public final class VaultKeys implements KeyProvider, AutoCloseable {

    private static final String PROPERTY = "safebunny.encryption.vault.mount";
    private static final Pattern MOUNT =
            Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");
    private static final int KEY_BYTES = 32;
    private static final byte[] HASH_KEY = "safebunny hash key".getBytes(StandardCharsets.US_ASCII);

    private final Transit transit;
    /**
     * Names that this node's own code uses, or has opened something with. Those alone may stop a type for want of a right: a message may name
     * any key.
     */
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    /**
     * Asks nothing yet, so that an application starts while Vault is away.
     *
     * @param vault with a token whose policies allow what {@code docs/encryption.md} lists
     * @param mount path of the secrets engine, such as {@code transit}
     * @throws ConfigurationException SB-1301 when the mount is no path
     */
    public VaultKeys(VaultOperations vault, String mount, Timeline timeline) {
        if (!MOUNT.matcher(mount).matches()) {
            throw InvalidProperty.of(
                    PROPERTY,
                    mount,
                    "it must be the path of a secrets engine, without a slash before or after it",
                    "Set %s to one that 'vault secrets list' shows, such as transit.".formatted(PROPERTY));
        }
        this.transit = new Transit(vault, mount, timeline);
    }

    @Override
    public DataKey current(String key) {
        useOwn(key);
        Answer answer = transit.call("datakey/plaintext", key, Map.of("bits", 8 * KEY_BYTES));
        if (answer instanceof Refused refused) {
            throw new UnknownKeyException(
                    "Unknown key [key=%s, mount=%s]: Vault says '%s'. If it is missing, create it: vault write -f %s/keys/%s; otherwise it must be of type aes256-gcm96, and not derived"
                            .formatted(key, transit.mount(), refused.why(), transit.mount(), key));
        }
        Given given = allowed(key, answer);
        try {
            return new DataKey(secret(given), KeyVersion.wrapped(key, text(given, "ciphertext")));
        } catch (IllegalArgumentException e) {
            throw new KeysUnavailableException(
                    "Vault gave no usable data key [key=%s, mount=%s]: is the secrets engine Transit?"
                            .formatted(key, transit.mount()),
                    e);
        }
    }

    @Override
    public SecretKey open(WrappedKey wrapped) {
        KeyVersion key = KeyVersion.of(wrapped.keyId());
        if (key == null) {
            throw new UnknownKeyException(
                    "Unknown key [key=%s]: this node has its keys from Vault, whose ids look like payments:v1. Has its sender another key service?"
                            .formatted(wrapped.keyId()));
        }
        Answer answer = transit.call("decrypt", key.name(), Map.of("ciphertext", key.ciphertext(wrapped.bytes())));
        if (answer instanceof Refused refused) {
            throw notOpened(key, refused.why());
        }
        if (answer instanceof Forbidden forbidden && !used.contains(key.name())) {
            throw new UnknownKeyException("Unknown key [key=%s]: %s".formatted(key.id(), forbidden.whatToDo()));
        }
        SecretKey opened = secret(allowed(key.name(), answer));
        used.add(key.name());
        return opened;
    }

    /** What is not known for certain to be the message's fault gets its retries. */
    private RuntimeException notOpened(KeyVersion key, String why) {
        boolean isNewer = why.contains("too new");
        if (!isNewer
                && (why.contains("invalid ciphertext")
                        || why.contains("authentication failed")
                        || why.contains("RSA decrypt"))) {
            return new IllegalArgumentException("A data key was not wrapped by the key " + key.id());
        }
        return new UnknownKeyException(
                "Unknown key [key=%s, mount=%s]: Vault says '%s'. If the version was retired too early, lower min_decryption_version; if it is another Vault's, this node must use that one"
                        .formatted(key.id(), transit.mount(), why));
    }

    /**
     * An HMAC by the oldest version that Vault still uses, so that it stays the same through rotations, until {@code min_decryption_version}
     * or {@code min_encryption_version} is raised.
     */
    @Override
    public @Nullable SecretKey hashKey(String key) {
        useOwn(key);
        Answer known = transit.read(key);
        if (known instanceof Refused) {
            return null;
        }
        Map<String, Object> settings = allowed(key, known).data();
        int oldest = Math.max(
                1, Math.max(number(settings, "min_decryption_version"), number(settings, "min_encryption_version")));
        Answer answer = transit.call(
                "hmac",
                key,
                Map.of(
                        "input",
                        Base64.getEncoder().encodeToString(HASH_KEY),
                        "algorithm",
                        "sha2-256",
                        "key_version",
                        oldest));
        if (answer instanceof Refused) {
            return null;
        }
        String hmac = text(allowed(key, answer), "hmac");
        return new SecretKeySpec(Base64.getDecoder().decode(hmac.substring(hmac.lastIndexOf(':') + 1)), "HmacSHA256");
    }

    private static int number(Map<String, Object> settings, String name) {
        return settings.get(name) instanceof Number number ? number.intValue() : 0;
    }

    private void useOwn(String key) {
        if (!KeyVersion.isName(key)) {
            throw new UnknownKeyException(
                    "Unknown key [key=%s]: a name in @Encrypted has 1 to 64 characters of [a-z0-9-], and none that begins or ends with a hyphen is one of Vault's"
                            .formatted(key));
        }
        used.add(key);
    }

    private static Given allowed(String key, Answer answer) {
        if (answer instanceof Forbidden forbidden) {
            throw new KeysUnavailableException(
                    "Vault does not give a key [key=%s, path=%s]: %s"
                            .formatted(key, forbidden.path(), forbidden.whatToDo()),
                    null);
        }
        return (Given) answer;
    }

    /** @throws IllegalArgumentException it is none of ours */
    private static SecretKey secret(Given given) {
        byte[] key = Base64.getDecoder().decode(text(given, "plaintext"));
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("What Vault opened is no data key");
        }
        return new SecretKeySpec(key, "AES");
    }

    private static String text(Given given, String name) {
        return given.data().get(name) instanceof String text ? text : "";
    }

    @Override
    public void close() {
        transit.close();
    }
}
