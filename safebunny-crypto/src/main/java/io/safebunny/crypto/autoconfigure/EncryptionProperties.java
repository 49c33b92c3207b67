// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto.autoconfigure;

import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Encryption of message bodies.
 *
 * @param keystore Where the keys are.
 * @param acceptClear Types, by their names on the wire, whose messages are accepted although they arrive in clear: for the time in which a
 *     type becomes encrypted, until all its senders encrypt and no queue holds older messages. Also sagas, such as saga.CardSaga, whose
 *     states are still stored in clear.
 * @param subjects Keys of the persons whom bodies are about.
 */
@ConfigurationProperties("safebunny.encryption")
record EncryptionProperties(
        Keystore keystore,
        @DefaultValue Set<String> acceptClear,
        @DefaultValue Subjects subjects) {

    EncryptionProperties {
        acceptClear = Set.copyOf(acceptClear);
        keystore = keystore == null ? new Keystore(null, "PKCS12", null) : keystore;
    }

    /**
     * Keys in a Java keystore.
     *
     * @param location File of a keystore with AES keys of 256 bits, such as /etc/billing/keys.p12. Their aliases are the name of the key and
     *     the number of its version, such as payments-1. Read again when it changes.
     * @param type Type of the keystore.
     * @param password Password of the keystore and of its entries.
     */
    record Keystore(
            @Nullable Path location,
            @DefaultValue("PKCS12") String type,
            @Nullable String password) {}

    /**
     * Keys of the persons whom bodies are about, as Encrypted.subject says.
     *
     * @param key Name of the key under which the keys of persons are encrypted where they are kept. The same at all nodes that share them.
     */
    record Subjects(@DefaultValue("subjects") String key) {}
}
