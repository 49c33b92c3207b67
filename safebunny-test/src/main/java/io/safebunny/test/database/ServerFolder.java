// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A private temporary folder for a server, and how to run its programs: they refuse to run as root, so root runs them as {@code nobody},
 * who then owns the folder.
 */
final class ServerFolder {

    private static final String NOBODY = "65534";
    private static final int TAIL_CHARACTERS = 4_000;

    private final Path path;

    private ServerFolder(Path path) {
        this.path = path;
    }

    static ServerFolder create(String name) {
        try {
            // has an unpredictable name and is private from the start, so nobody else can create it first
            ServerFolder folder = new ServerFolder(Files.createTempDirectory("safebunny-" + name + "-"));
            folder.give(folder.path);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a file that only the server may read. */
    Path secret(String name, String content) {
        try {
            Path file = Files.createFile(
                    path.resolve(name),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, content);
            give(file);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void give(Path file) {
        if (isRoot()) {
            run(List.of("chown", "--no-dereference", NOBODY + ":" + NOBODY, file.toString()), null);
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    Path path() {
        return path;
    }

    Path log() {
        return path.resolve("server.log");
    }

    /** Wraps the command to run as an unprivileged user. */
    static List<String> unprivileged(List<String> command) {
        List<String> whole = new ArrayList<>();
        if (isRoot()) {
            whole.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
        }
        whole.addAll(command);
        return whole;
    }

    /** Runs a program to its end. */
    void run(List<String> command, @Nullable Path input) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        if (input != null) {
            builder.redirectInput(input.toFile());
        }
        try {
            int exit = builder.start().waitFor();
            if (exit != 0) {
                throw new DatabaseUnavailableException(
                        "Program failed [%s, exit=%s]: see the end of its output below.%n%s"
                                .formatted(command, exit, logTail()),
                        null);
            }
        } catch (IOException e) {
            throw new DatabaseUnavailableException(
                    "Program could not be run [%s]: install it, or run the tests on Linux.".formatted(command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseUnavailableException("Interrupted [%s].".formatted(command), e);
        }
    }

    String logTail() {
        try {
            String text = new String(Files.readAllBytes(log()), StandardCharsets.UTF_8);
            return text.substring(Math.max(0, text.length() - TAIL_CHARACTERS));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Opens a resource of a Maven artifact. */
    static InputStream open(String resource, String artifact) {
        InputStream content = ServerFolder.class.getClassLoader().getResourceAsStream(resource);
        if (content == null) {
            throw missing(resource, artifact);
        }
        return content;
    }

    static void requireResource(String resource, String artifact) {
        if (ServerFolder.class.getClassLoader().getResource(resource) == null) {
            throw missing(resource, artifact);
        }
    }

    private static DatabaseUnavailableException missing(String resource, String artifact) {
        return new DatabaseUnavailableException(
                "No server to start: %s is not on the class path. Add %s with scope test; it runs on Linux, x86_64."
                        .formatted(resource, artifact),
                null);
    }

    void delete() {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException alreadyGone) {
            return;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
