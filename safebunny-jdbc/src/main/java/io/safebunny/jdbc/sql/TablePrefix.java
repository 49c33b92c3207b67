// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import java.util.regex.Pattern;

/**
 * Validates the prefix of the table names. It becomes part of SQL statements, so only characters that need no quoting are
 * allowed.
 */
public final class TablePrefix {

    /** The prefix unless another one is set. */
    public static final String DEFAULT = "safebunny_";

    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9_.]*");

    private TablePrefix() {}

    /** @throws ConfigurationException SB-1301 when it holds anything but letters, digits, underscores and dots */
    public static String require(String prefix) {
        if (!SAFE.matcher(prefix).matches()) {
            throw InvalidProperty.of(
                    "safebunny.store.jdbc.table-prefix",
                    prefix,
                    "it may hold only letters, digits, underscores and dots",
                    "Set safebunny.store.jdbc.table-prefix to a value such as safebunny_ or myschema.safebunny_, or remove it.");
        }
        return prefix;
    }
}
