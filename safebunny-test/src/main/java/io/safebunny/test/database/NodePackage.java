// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A package for Node.js, installed once per machine and kept. */
final class NodePackage {

    private static final Object ONE_AT_A_TIME = new Object();
    private static final String ADVICE =
            "Install Node.js and npm, or set SAFEBUNNY_COSMOS_ENDPOINT and SAFEBUNNY_COSMOS_KEY.";

    private NodePackage() {}

    /**
     * @param name of the folder in the cache
     * @param spec as npm wants it, with the version
     * @return the folder that has {@code node_modules}
     */
    static Path install(String name, String spec) {
        Path cache = cache();
        Path folder = cache.resolve(name);
        Path complete = folder.resolve("complete");
        synchronized (ONE_AT_A_TIME) { // a file lock is held by the whole virtual machine
            try {
                Files.createDirectories(cache);
                try (FileChannel file = FileChannel.open(
                                cache.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        var lock = file.lock()) {
                    if (lock.isValid() && !Files.exists(complete)) {
                        npm(folder, spec);
                        Files.createFile(complete);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return folder;
    }

    private static Path cache() {
        String own = System.getenv("SAFEBUNNY_CACHE");
        if (own != null && !own.isBlank()) {
            return Path.of(own).toAbsolutePath();
        }
        String common = System.getenv("XDG_CACHE_HOME");
        return (common != null && !common.isBlank()
                        ? Path.of(common)
                        : Path.of(System.getProperty("user.home"), ".cache"))
                .resolve("safebunny")
                .toAbsolutePath();
    }

    private static void npm(Path folder, String spec) throws IOException {
        Process npm;
        try {
            npm = new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", "--prefix", folder.toString(), spec)
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new DatabaseUnavailableException("Cannot install " + spec + ": npm cannot be started. " + ADVICE, e);
        }
        npm.getOutputStream().close();
        String output = new String(npm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (npm.waitFor() != 0) {
                throw new DatabaseUnavailableException(
                        "Cannot install " + spec + ": npm failed. " + ADVICE + " Its output:\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseUnavailableException("Interrupted while npm installed " + spec + ".", e);
        }
    }
}
