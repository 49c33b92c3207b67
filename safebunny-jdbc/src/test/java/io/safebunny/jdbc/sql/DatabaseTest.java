// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.ConfigurationException;
import org.junit.jupiter.api.Test;

class DatabaseTest {

    @Test
    void isKnownByItsProductName() {
        assertThat(Database.of("PostgreSQL", "18.0", 18, 0)).isEqualTo(new Database(Dialect.POSTGRESQL, true));
        assertThat(Database.of("H2", "2.4.240", 2, 4)).isEqualTo(new Database(Dialect.H2, true));
        assertThat(Database.of("MySQL", "9.7.0", 9, 7)).isEqualTo(new Database(Dialect.MYSQL, true));
        assertThat(Database.of("MySQL", "5.7.44", 5, 7)).isEqualTo(new Database(Dialect.MYSQL, false));
        assertThat(Database.of("MariaDB", "11.4.5-MariaDB", 11, 4)).isEqualTo(new Database(Dialect.MARIADB, true));
        assertThat(Database.of("MariaDB", "10.5.1-MariaDB", 10, 5)).isEqualTo(new Database(Dialect.MARIADB, false));
    }

    @Test
    void mariaDbIsKnownByTheOtherDriverToo() {
        assertThat(Database.of("MySQL", "5.5.5-10.11.2-MariaDB", 10, 11).dialect())
                .isEqualTo(Dialect.MARIADB);
    }

    @Test
    void anUnknownOneIsRefusedByName() {
        assertThatThrownBy(() -> Database.of("Oracle", "23", 23, 0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1401 Unsupported database [product=Oracle]")
                .hasMessageContaining("PostgreSQL, MySQL, MariaDB and H2");
    }
}
