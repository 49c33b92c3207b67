// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Includes in native images the schema scripts, and the method with which PostgreSQL's driver reports the state of a transaction. */
final class JdbcHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.reflection()
                .registerTypeIfPresent(
                        loader, "org.postgresql.core.BaseConnection", MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.resources().registerPattern("io/safebunny/jdbc/schema-*.sql");
    }
}
