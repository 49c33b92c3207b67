// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.store;

import java.util.Locale;

/**
 * A store, and how to reach it from any process.
 *
 * @param transactional whether claim, work and completion share one transaction
 * @param url of the server; empty for the memory of the process
 * @param key of the server, where it needs one
 */
public record StoreAddress(StoreKind kind, boolean transactional, String url, String key) {

    /** Title of its column. */
    public String title() {
        return kind.name().toLowerCase(Locale.ROOT) + (transactional ? " tx" : "");
    }

    @Override
    public String toString() {
        return title();
    }
}
