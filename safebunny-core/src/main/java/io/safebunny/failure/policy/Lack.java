// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import java.util.Locale;

/** What the messages of a type cannot be read without, and has to be had from elsewhere. While it is away, the type is tried every two seconds. */
public enum Lack {
    /** Keys of encrypted bodies. */
    KEYS,
    /** Bodies that are kept in a store. */
    BODIES;

    /** As the tag {@code cause} of meters. */
    public String cause() {
        return name().toLowerCase(Locale.ROOT);
    }
}
