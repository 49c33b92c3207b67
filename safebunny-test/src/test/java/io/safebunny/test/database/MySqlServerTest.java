// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MySqlServerTest {

    @TempDir
    Path folder;

    /** A test that needs a server and finds none fails, and says what to do. */
    @Test
    void aRootWithoutTheServerIsRefused() {
        assertThatThrownBy(() -> MySqlServer.root(folder.toString()))
                .isInstanceOf(DatabaseUnavailableException.class)
                .hasMessageContaining("[root=" + folder + "]")
                .hasMessageContaining("bin/database install mysql")
                .hasMessageContaining("SAFEBUNNY_MYSQL_ROOT");
    }

    @Test
    void theRootThatIsNamedIsUsed() throws Exception {
        Files.createFile(Files.createDirectories(folder.resolve("usr/sbin")).resolve("mysqld"));

        assertThat(MySqlServer.root(folder.toString())).isEqualTo(folder);
    }
}
