// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.store;

import java.time.Duration;
import java.util.Locale;

/** The kinds of stores. */
public enum StoreKind {
    MEMORY,
    /** In the memory of an H2 server. */
    H2,
    /** H2 embedded in the process that uses it, which goes down with it. */
    H2_FILE,
    POSTGRESQL,
    MYSQL,
    MARIADB,
    COSMOS;

    public boolean isJdbc() {
        return this == H2 || this == H2_FILE || this == POSTGRESQL || this == MYSQL || this == MARIADB;
    }

    /**
     * Lease of claims. Longer for stores that are slow on a busy machine: a claim that expires in between would let the handler
     * run again.
     */
    public Duration lease() {
        return this == COSMOS ? Duration.ofSeconds(3) : Duration.ofMillis(1_200);
    }

    /** Whether only one process at a time can have it open. */
    public boolean isOfOneProcess() {
        return this == H2_FILE;
    }

    /** How users write it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException when no store has this label */
    public static StoreKind of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Whether its records outlive the process. */
    public boolean isDurable() {
        return this != MEMORY;
    }
}
