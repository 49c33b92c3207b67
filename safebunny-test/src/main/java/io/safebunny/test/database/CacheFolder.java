// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.Set;

/** A folder for programs that are installed once per machine. Nobody else may write to it, because its contents are executed. */
record CacheFolder(Path path) {

    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /** The folder that the environment names, or the user's default one. */
    static CacheFolder ofTheUser() {
        String own = System.getenv("SAFEBUNNY_CACHE");
        if (own != null && !own.isBlank()) {
            return at(Path.of(own));
        }
        String common = System.getenv("XDG_CACHE_HOME");
        return at((common != null && !common.isBlank()
                        ? Path.of(common)
                        : Path.of(System.getProperty("user.home"), ".cache"))
                .resolve("safebunny"));
    }

    /**
     * Creates the folder if it is missing.
     *
     * @throws DatabaseUnavailableException if the folder belongs to somebody else, or others may write to it
     */
    static CacheFolder at(Path path) {
        Path folder = path.toAbsolutePath();
        try {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Object owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            boolean isOurs = owner.equals(0) || owner.equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
            if (!isOurs || !Collections.disjoint(Files.getPosixFilePermissions(folder), OF_OTHERS)) {
                throw new DatabaseUnavailableException("Cannot keep programs in the cache folder [path=" + folder
                        + "]: " + (isOurs ? "others may write to it" : "it belongs to another user")
                        + ", and what is in it is run. Set SAFEBUNNY_CACHE to a folder of your own"
                        + (isOurs ? ", or take the right from them with chmod go-w." : "."));
            }
            return new CacheFolder(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
