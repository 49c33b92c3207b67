// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * SPI: wraps data keys, with which bodies are encrypted, by keys that it has or that a key service keeps. Register it as a bean, or use a
 * Java keystore ({@code safebunny.encryption.keystore.*}) or Vault ({@code safebunny-vault}). Implementations must be thread-safe, and should
 * pass {@code KeyProviderContract} of {@code safebunny-test}. Calls may block on a key service: a data key is used for five minutes and
 * remembered when it was opened, so calls grow with rotations and instances, not with messages.
 */
public interface KeyProvider {

    /**
     * A new, random data key of 256 bits, wrapped by the newest version of a key.
     *
     * @param key name of the key, from {@link Encrypted#key}
     * @throws UnknownKeyException there is no key of that name
     * @throws KeysUnavailableException the key service does not answer
     */
    DataKey current(String key);

    /**
     * Opens a data key that was wrapped by {@link #current}, here or at another node.
     *
     * @param wrapped from a message: untrusted
     * @throws UnknownKeyException there is no key of that id: not yet, or no more, or another node's
     * @throws KeysUnavailableException the key service does not answer
     * @throws IllegalArgumentException the bytes were not wrapped by that key; the text must not quote them
     */
    SecretKey open(WrappedKey wrapped);

    /**
     * A secret for hashes of bodies: with them a store tells whether another body comes under the id of a message, and nobody who reads the
     * store can try out what a body might say. It should be the same at all instances of a node, and stay so through rotations: where it has
     * changed, as where there is none, another body under the same id is not recognised, and counts as a repeat.
     *
     * <p>Asked once an hour for each key.
     *
     * @param key name of the key, from {@link Encrypted#key}
     * @return at least 128 random bits, which its {@code getEncoded} tells; {@code null}, the default, for none
     * @throws KeysUnavailableException the key service does not answer
     */
    default @Nullable SecretKey hashKey(String key) {
        return null;
    }
}
