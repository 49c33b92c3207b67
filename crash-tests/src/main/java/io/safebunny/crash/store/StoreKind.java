// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.store;

import java.time.Duration;
import java.util.Locale;

/** The stores there are. */
public enum StoreKind {
    MEMORY,
    /** In a server's memory. */
    H2,
    /** In the process that works with it, which takes it along when it is halted. */
    H2_FILE,
    POSTGRESQL,
    MARIADB,
    COSMOS;

    public boolean isJdbc() {
        return this == H2 || this == H2_FILE || this == POSTGRESQL || this == MARIADB;
    }

    /** Of claims. Longer where a busy machine takes its time to answer: a claim that ends meanwhile has its handler run again. */
    public Duration lease() {
        return this == COSMOS ? Duration.ofSeconds(3) : Duration.ofMillis(1_200);
    }

    /** Whether only one process at a time can have it open. */
    public boolean isOfOneProcess() {
        return this == H2_FILE;
    }

    /** As people write it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException when there is none of this label */
    public static StoreKind of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Whether its records outlive the process. */
    public boolean isDurable() {
        return this != MEMORY;
    }
}
