// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.SchemaCreation;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;

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

    /** Creates only what is missing, with the configured table prefix, which may differ from the script's. */
    @Override
    protected void runScripts(Scripts scripts) {
        SchemaCreation.run(getDataSource(), schema);
    }
}
