// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.store;

import java.time.Duration;

/** The stores there are. */
public enum StoreKind {
    MEMORY,
    H2,
    POSTGRESQL,
    MARIADB,
    COSMOS;

    public boolean isJdbc() {
        return this == H2 || this == POSTGRESQL || this == MARIADB;
    }

    /** Of claims. Longer where a busy machine takes its time to answer: a claim that ends meanwhile has its handler run again. */
    public Duration lease() {
        return this == COSMOS ? Duration.ofSeconds(3) : Duration.ofMillis(1_200);
    }

    /** Whether its records outlive the process. */
    public boolean isDurable() {
        return this != MEMORY;
    }
}
