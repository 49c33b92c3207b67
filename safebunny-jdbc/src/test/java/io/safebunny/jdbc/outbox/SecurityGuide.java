// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.sql.Dialect;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The SQL of the security page, run exactly as printed. */
final class SecurityGuide {

    private static final Pattern LISTING = Pattern.compile("```sql\\R(.*?)```", Pattern.DOTALL);

    private SecurityGuide() {}

    /** Listings in the order of the page: erasure, grants on PostgreSQL, grants on MySQL and MariaDB. */
    private static List<String> statements(int listing) {
        try {
            String page = Files.readString(Path.of("../docs/security.md"));
            String sql = LISTING.matcher(page).results().toList().get(listing).group(1);
            return Stream.of(sql.split(";\\R", -1))
                    .filter(part -> !part.isBlank())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> erasure(String node, String correlation) {
        return statements(0).stream()
                .map(statement ->
                        statement.replace(":node", "'" + node + "'").replace(":correlation", "'" + correlation + "'"))
                .toList();
    }

    static List<String> grants(Dialect dialect, String user) {
        return statements(dialect == Dialect.POSTGRESQL ? 1 : 2).stream()
                .map(statement -> statement.replace("billing", user))
                .toList();
    }
}
