// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.store;

/**
 * A store, and how to reach it from any process.
 *
 * @param transactional whether claim, work and completion share one transaction
 * @param url URL of the server; empty for in-memory stores; for files, of which each run has its own, with {@code %s} for the
 *     name
 * @param key key of the server, if it needs one
 */
public record StoreAddress(StoreKind kind, boolean transactional, String url, String key) {

    /** Title of its column in the matrix. */
    public String title() {
        return kind.label() + (transactional ? " tx" : "");
    }

    StoreAddress ofRun(String name) {
        return new StoreAddress(kind, transactional, url.formatted(name), key);
    }

    /** The same file, through the process that has it open. */
    public StoreAddress through(String port) {
        return new StoreAddress(
                kind, transactional, url.replaceFirst("^jdbc:h2:", "jdbc:h2:tcp://127.0.0.1:" + port + "/"), key);
    }

    @Override
    public String toString() {
        return title();
    }
}
