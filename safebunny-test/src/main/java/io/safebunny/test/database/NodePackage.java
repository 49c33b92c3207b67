// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A Node.js package that is installed once per machine. Our lock file pins it and its dependencies by content hash; install scripts are
 * disabled. Thread-safe.
 */
public final class NodePackage {

    static final String LOCK = "package-lock.json";

    private static final Object ONE_AT_A_TIME = new Object();

    private NodePackage() {}

    /**
     * Installs it unless it is there; blocks until then.
     *
     * @param name name of the resource folder, beside the class, that contains {@code package.json} and the lock file
     * @param advice what to do where it cannot be installed, as a sentence
     * @return the folder that contains {@code node_modules}
     * @throws DatabaseUnavailableException if it cannot be installed
     */
    public static Path install(Class<?> beside, String name, String advice) {
        CacheFolder cache = CacheFolder.ofTheUser();
        // one folder per lock file
        String folderName = name + "-" + digest(resource(beside, name, LOCK)).substring(0, 16);
        Path folder = cache.path().resolve(folderName);
        Path complete = folder.resolve("complete");
        synchronized (ONE_AT_A_TIME) { // in addition to the file lock, which does not exclude threads of the same JVM
            try (FileChannel file = FileChannel.open(
                            cache.path().resolve(folderName + ".lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
                    var lock = file.lock()) {
                if (lock.isValid() && !Files.exists(complete)) {
                    Files.createDirectories(folder);
                    for (String part : List.of("package.json", LOCK)) {
                        Files.write(folder.resolve(part), resource(beside, name, part));
                    }
                    npm(folder, name, advice);
                    Files.createFile(complete);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return folder;
    }

    static byte[] resource(Class<?> beside, String name, String part) {
        try (InputStream content = beside.getResourceAsStream(name + "/" + part)) {
            if (content == null) {
                throw new DatabaseUnavailableException("No " + part + " of " + name + " beside its class.");
            }
            return content.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new AssertionError(everyJavaHasIt);
        }
    }

    private static void npm(Path folder, String name, String advice) throws IOException {
        Process npm;
        try {
            npm = new ProcessBuilder("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new DatabaseUnavailableException("Cannot install " + name + ": npm cannot be started. " + advice, e);
        }
        npm.getOutputStream().close();
        String output = new String(npm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (npm.waitFor() != 0) {
                throw new DatabaseUnavailableException(
                        "Cannot install " + name + ": npm failed. " + advice + " Its output:\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseUnavailableException("Interrupted while npm installed " + name + ".", e);
        }
    }
}
