// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.command;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the nodes remember handled messages.
 *
 * @param address JDBC URL of the PostgreSQL or MySQL database, or endpoint of the Cosmos account; {@code null} for a private server
 * @param key key of the Cosmos account
 */
public record StoreChoice(
        Kind kind, @Nullable String address, @Nullable String key) {

    public enum Kind {
        MEMORY("memory"),
        H2("H2, with the ledger"),
        POSTGRES("PostgreSQL, with the ledger"),
        MYSQL("MySQL, with the ledger"),
        COSMOS("Cosmos DB, without the ledger");

        private final String description;

        Kind(String description) {
            this.description = description;
        }

        public String description() {
            return description;
        }

        /** Whether records and ledger are in one database, and therefore in one transaction. */
        public boolean isTransactional() {
            return this == H2 || hasAddress();
        }

        /** Whether the user may give one with a JDBC URL. */
        public boolean hasAddress() {
            return this == POSTGRES || this == MYSQL;
        }

        /** How its JDBC URLs begin. */
        public String scheme() {
            return this == POSTGRES ? "jdbc:postgresql:" : "jdbc:mysql:";
        }

        public static Optional<Kind> named(String name) {
            return Arrays.stream(values())
                    .filter(kind -> kind.optionName().equals(name))
                    .findFirst();
        }

        private String optionName() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static String names() {
            return Arrays.stream(values()).map(Kind::optionName).collect(Collectors.joining(", "));
        }
    }

    public static StoreChoice of(Kind kind) {
        return new StoreChoice(kind, null, null);
    }

    /** Whether the user gave an existing store, which may contain data of earlier runs. */
    public boolean isGiven() {
        return address != null;
    }

    /** Leaves out address and key. */
    @Override
    public String toString() {
        return kind.optionName();
    }
}
