// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.store.StoreUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * The script that creates the tables of the store and the outbox, that of the keys of persons, and those of large bodies; repeating it is harmless. Immutable.
 *
 * @param location of the script, with the default table names, on the class path
 * @param script its text with the configured table names
 */
public record JdbcSchema(String location, String script) {

    private static final Pattern NAME =
            Pattern.compile("\\bsafebunny_((?:message|step|companion|outbox|subject_key|body)\\w*)");
    private static final Set<String> TABLES =
            Set.of("message", "step", "companion", "outbox", "subject_key", "body", "body_part");

    /**
     * The script for this database and prefix.
     *
     * @throws ConfigurationException SB-1401 when the database is not supported, SB-1301 when the prefix is not valid
     * @throws StoreUnavailableException when the database does not answer
     */
    public static JdbcSchema of(DataSource dataSource, String tablePrefix) {
        return of(Database.of(dataSource).dialect(), tablePrefix);
    }

    static JdbcSchema of(Dialect dialect, String tablePrefix) {
        TablePrefix.require(tablePrefix);
        // an index lives in the schema of its table, and its name must not repeat the schema
        String indexPrefix = tablePrefix.substring(tablePrefix.lastIndexOf('.') + 1);
        String script = NAME.matcher(read(dialect.script()))
                .replaceAll(name -> Matcher.quoteReplacement(
                        (TABLES.contains(name.group(1)) ? tablePrefix : indexPrefix) + name.group(1)));
        return new JdbcSchema(dialect.script(), script);
    }

    private static String read(String location) {
        try (InputStream script = JdbcSchema.class.getClassLoader().getResourceAsStream(location)) {
            return new String(Objects.requireNonNull(script, location).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The underlying {@code DataSource}, which is also the key under which transaction managers bind connections: a proxy would
     * hand out connections bound to the thread.
     */
    public static DataSource unwrap(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource()
                : dataSource;
    }
}
