// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault;

import io.safebunny.encryption.WrappedKey;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One version of a key. A message names it by its id, {@code payments:v3}, and carries what follows {@code vault:v3:} in Vault's text as bytes,
 * so that the two cannot name different versions. Immutable.
 */
record KeyVersion(String name, int version) {

    /** Narrower than Vault's own rule, so that no name can leave its place in a path. */
    private static final String NAME = "[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?";

    private static final String VERSION = "v([1-9][0-9]{0,8})";
    private static final Pattern NAMES = Pattern.compile(NAME);
    private static final Pattern ID = Pattern.compile("(" + NAME + "):" + VERSION);
    private static final Pattern CIPHERTEXT = Pattern.compile("vault:" + VERSION + ":([A-Za-z0-9+/]+={0,2})");

    /** Whether Vault may be asked for a key of this name. */
    static boolean isName(String name) {
        return NAMES.matcher(name).matches();
    }

    /** {@code null} if it is not the id of a key of Vault. */
    static @Nullable KeyVersion of(String id) {
        Matcher parts = ID.matcher(id);
        return parts.matches() ? new KeyVersion(parts.group(1), Integer.parseInt(parts.group(2))) : null;
    }

    /**
     * What a message carries of a text of Vault.
     *
     * @throws IllegalArgumentException it is no such text
     */
    static WrappedKey wrapped(String name, String ciphertext) {
        Matcher parts = CIPHERTEXT.matcher(ciphertext);
        if (!parts.matches()) {
            throw new IllegalArgumentException("no ciphertext of Vault");
        }
        KeyVersion key = new KeyVersion(name, Integer.parseInt(parts.group(1)));
        return new WrappedKey(key.id(), Base64.getDecoder().decode(parts.group(2)));
    }

    String id() {
        return "%s:v%s".formatted(name, version);
    }

    /** The text of Vault that a message carried these bytes of. */
    String ciphertext(byte[] bytes) {
        return "vault:v%s:%s".formatted(version, Base64.getEncoder().encodeToString(bytes));
    }
}
