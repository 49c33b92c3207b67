// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.sql.JdbcSchema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.init.ScriptException;

/** Creates the tables at start, before any bean that uses the database. */
final class SchemaInitializer extends DataSourceScriptDatabaseInitializer {

    private final JdbcSchema schema;

    SchemaInitializer(DataSource dataSource, JdbcSchema schema, DatabaseInitializationMode mode) {
        super(dataSource, settings(schema, mode));
        this.schema = schema;
    }

    private static DatabaseInitializationSettings settings(JdbcSchema schema, DatabaseInitializationMode mode) {
        DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
        settings.setSchemaLocations(List.of("classpath:" + schema.location()));
        settings.setMode(mode);
        return settings;
    }

    /** Runs the script with the configured table prefix, which may differ from the one in the file. */
    @Override
    protected void runScripts(Scripts scripts) {
        Scripts named = new Scripts(
                List.of(new ByteArrayResource(schema.script().getBytes(StandardCharsets.UTF_8), schema.location())));
        try {
            super.runScripts(named);
        } catch (ScriptException e) {
            // "if not exists" does not stop two instances from creating a table at the same moment; by now the other
            // one has created it
            super.runScripts(named);
        }
    }
}
