// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.details.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys in a Java keystore: AES entries of 256 bits whose aliases are the name of a key and the number of its version, such as {@code
 * payments-1}. The highest number encrypts, all of them decrypt. The file is read again when it has changed and a data key is made or an unknown
 * key is asked for; while it cannot be read, the keys that were read before are used. Thread-safe.
 */
public final class KeystoreKeys implements KeyProvider {

    private static final Logger LOG = LoggerFactory.getLogger(KeystoreKeys.class);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int KEY_BYTES = 32;
    private static final String HASH_KEY = "safebunny hash key";
    private static final Pattern ALIAS = Pattern.compile("([a-z0-9-]{1,64})-([1-9][0-9]{0,8})");

    private final Path file;
    private final String type;
    private final char[] password;
    private volatile Content content;
    /** Of a file that could not be read; guarded by this. */
    private @Nullable FileTime refused;

    /**
     * Reads the file.
     *
     * @param type of the keystore, such as {@code PKCS12}
     * @param password of the keystore and of its entries
     * @throws ConfigurationException SB-1313 when it cannot be read
     */
    public KeystoreKeys(Path file, String type, String password) {
        this.file = file;
        this.type = type;
        this.password = password.toCharArray();
        try {
            this.content = read();
        } catch (IOException | GeneralSecurityException e) {
            throw new ConfigurationException(
                    "SB-1313",
                    "Cannot read the keystore [safebunny.encryption.keystore.location=%s, type=%s]: %s."
                            .formatted(file, type, Printable.of(e)),
                    "Check the path, the type and safebunny.encryption.keystore.password.",
                    e);
        }
    }

    @Override
    public DataKey current(String key) {
        readAgainIfChanged();
        String alias = content.newest.get(key);
        if (alias == null) {
            throw new UnknownKeyException(
                    "Unknown key [key=%s, keystore=%s, keys=%s]: there is no entry with the alias %s-1 or a higher number. Add one: keytool -genseckey -alias %s-1 -keyalg AES -keysize 256 -keystore %s"
                            .formatted(key, file, names(), key, key, file.getFileName()));
        }
        try {
            return DataKey.wrappedBy(alias, keyOf(alias), RANDOM);
        } catch (GeneralSecurityException e) {
            throw new KeysUnavailableException(
                    "Cannot use a key of the keystore [alias=%s, keystore=%s]: %s"
                            .formatted(alias, file, e.getMessage()),
                    e);
        }
    }

    @Override
    public SecretKey open(WrappedKey wrapped) {
        String alias = wrapped.keyId();
        if (content.keys.get(alias) == null) {
            readAgainIfChanged();
        }
        return wrapped.openedBy(keyOf(alias));
    }

    /** Derived from the oldest version, so that it stays the same until that one is removed. */
    @Override
    public @Nullable SecretKey hashKey(String key) {
        String alias = content.oldest.get(key);
        if (alias == null) {
            return null;
        }
        try {
            Hkdf derived = new Hkdf(HASH_KEY.getBytes(StandardCharsets.US_ASCII), keyOf(alias));
            return new SecretKeySpec(derived.expand(key.getBytes(StandardCharsets.US_ASCII)), "HmacSHA256");
        } catch (GeneralSecurityException e) {
            throw new KeysUnavailableException(
                    "Cannot use a key of the keystore [alias=%s, keystore=%s]: %s"
                            .formatted(alias, file, e.getMessage()),
                    e);
        }
    }

    private Key keyOf(String alias) {
        Key key = content.keys.get(alias);
        if (key == null) {
            throw new UnknownKeyException(
                    "Unknown key [key=%s]: the keystore of this node has no such entry. If the key is new, distribute it to all nodes before anybody encrypts with it; if it was removed, add it again."
                            .formatted(alias));
        }
        return key;
    }

    private List<String> names() {
        return content.newest.keySet().stream().sorted().toList();
    }

    /** One thread reads it, which takes a while; the others wait, for what they ask for may be in it. */
    private synchronized void readAgainIfChanged() {
        try {
            FileTime modified = Files.getLastModifiedTime(file);
            if (!modified.equals(content.modified) && !modified.equals(refused)) {
                refused = modified; // looked at once, and not for each message
                content = read();
            }
        } catch (IOException | GeneralSecurityException e) { // such as while it is being replaced
            LOG.warn(
                    "The keystore {} has changed and cannot be read; the keys that were read before are used",
                    file,
                    ExceptionDetails.TYPE_ONLY.logged(e));
        }
    }

    private Content read() throws IOException, GeneralSecurityException {
        FileTime modified = Files.getLastModifiedTime(file);
        KeyStore store = KeyStore.getInstance(type);
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, password);
        }
        return Content.of(modified, store, password);
    }

    /** What a keystore has. Immutable. */
    private record Content(
            FileTime modified, Map<String, Key> keys, Map<String, String> newest, Map<String, String> oldest) {

        static Content of(FileTime modified, KeyStore store, char[] password) throws GeneralSecurityException {
            Map<String, Key> keys = new HashMap<>();
            Map<String, String> newest = new HashMap<>();
            Map<String, String> oldest = new HashMap<>();
            for (String alias : Collections.list(store.aliases())) {
                Matcher name = ALIAS.matcher(alias);
                Key key = name.matches() ? aesKey(store, alias, password) : null;
                if (key != null) {
                    keys.put(alias, key);
                    newest.merge(name.group(1), alias, Content::newer);
                    oldest.merge(
                            name.group(1),
                            alias,
                            (one, other) -> newer(one, other).equals(one) ? other : one);
                }
            }
            return new Content(modified, Map.copyOf(keys), Map.copyOf(newest), Map.copyOf(oldest));
        }

        private static @Nullable Key aesKey(KeyStore store, String alias, char[] password)
                throws GeneralSecurityException {
            if (!store.entryInstanceOf(alias, KeyStore.SecretKeyEntry.class)) {
                return null;
            }
            Key key = store.getKey(alias, password);
            byte[] bytes = key.getEncoded();
            if (!key.getAlgorithm().equals("AES") || bytes == null || bytes.length != KEY_BYTES) {
                throw new InvalidKeyException("entry '%s' is no AES key of 256 bits".formatted(alias));
            }
            return key;
        }

        private static String newer(String one, String other) {
            return number(one) > number(other) ? one : other;
        }

        private static int number(String alias) {
            return Integer.parseInt(alias.substring(alias.lastIndexOf('-') + 1));
        }
    }
}
