// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheFolderTest {

    @TempDir
    Path folder;

    @Test
    void isMadeForTheUserAlone() throws IOException {
        Path made = CacheFolder.at(folder.resolve("a/b")).path();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                .isEqualTo("rwx------");
    }

    @Test
    void isRefusedWhereOthersMayPutAProgramIntoIt() throws IOException {
        Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> CacheFolder.at(shared))
                .isInstanceOf(DatabaseUnavailableException.class)
                .hasMessageContaining("others may write to it")
                .hasMessageContaining("SAFEBUNNY_CACHE");
    }

    @Test
    void isRefusedWhereItIsALinkThatLeadsElsewhere() throws IOException {
        Path target = Files.createDirectory(folder.resolve("target"));
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxrwxr-x"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);

        assertThatThrownBy(() -> CacheFolder.at(link)).isInstanceOf(DatabaseUnavailableException.class);
    }
}
