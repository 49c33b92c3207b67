// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VaultServerTest {

    @TempDir
    Path folder;

    /** A test that needs a server and finds none fails, and says what to do. */
    @Test
    void aProgramThatIsNotThereIsRefused() {
        Path program = folder.resolve("bao");

        assertThatThrownBy(() -> VaultServer.program(program.toString()))
                .isInstanceOf(DatabaseUnavailableException.class)
                .hasMessageContainingAll("[program=" + program + "]", "bin/vault install", "SAFEBUNNY_VAULT_PROGRAM");
    }

    @Test
    void theProgramThatIsNamedIsUsed() throws Exception {
        Path program = Files.createFile(
                folder.resolve("bao"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));

        assertThat(VaultServer.program(program.toString())).isEqualTo(program);
    }
}
