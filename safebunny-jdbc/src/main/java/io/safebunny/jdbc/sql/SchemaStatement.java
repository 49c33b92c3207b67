// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A statement of the script. Immutable.
 *
 * @param kind {@code table} or {@code index}
 * @param schema of the table; {@code null} for the connection's default
 * @param name of the created table or index, without the schema
 * @param sql the statement
 */
record SchemaStatement(String kind, @Nullable String schema, String name, String sql) {

    private static final Pattern CREATES = Pattern.compile(
            "create (table|index) if not exists ([\\w.]+)(?: on ([\\w.]+))?.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** An index inside a create table statement. */
    private static final Pattern INDEX_WITHIN = Pattern.compile("^ +index (\\w+) (\\([\\w, ]+\\))", Pattern.MULTILINE);

    /**
     * All statements of a script in order. Each index inside a table is also a separate statement, for tables created before the index
     * existed.
     */
    static List<SchemaStatement> of(String script) {
        return Stream.of(script.replaceAll("--.*", "").split(";"))
                .map(String::strip)
                .filter(sql -> !sql.isEmpty())
                .map(SchemaStatement::parse)
                .flatMap(SchemaStatement::withIndexes)
                .toList();
    }

    private static Stream<SchemaStatement> withIndexes(SchemaStatement statement) {
        List<SchemaStatement> all = new ArrayList<>(List.of(statement));
        Matcher within = INDEX_WITHIN.matcher(statement.sql);
        while (within.find()) {
            all.add(new SchemaStatement(
                    "index",
                    statement.schema,
                    within.group(1),
                    "create index %s on %s %s".formatted(within.group(1), statement.qualifiedName(), within.group(2))));
        }
        return all.stream();
    }

    private static SchemaStatement parse(String sql) {
        Matcher creates = CREATES.matcher(sql);
        if (!creates.matches()) {
            throw new IllegalStateException(
                    "A statement of the schema script creates neither a table nor an index: %s. Use only such statements"
                            .formatted(sql));
        }
        String created = creates.group(2);
        String table = creates.group(3) == null ? created : creates.group(3);
        return new SchemaStatement(
                creates.group(1).toLowerCase(Locale.ROOT),
                table.contains(".") ? table.substring(0, table.lastIndexOf('.')) : null,
                created.substring(created.lastIndexOf('.') + 1),
                sql);
    }

    /** The name, with the schema. */
    String qualifiedName() {
        return schema == null ? name : schema + '.' + name;
    }
}
