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
 * disabled.
 */
final class NodePackage {

    static final String LOCK = "package-lock.json";

    private static final Object ONE_AT_A_TIME = new Object();
    private static final String ADVICE =
            "Install Node.js and npm, or set SAFEBUNNY_COSMOS_ENDPOINT and SAFEBUNNY_COSMOS_KEY.";

    private NodePackage() {}

    /**
     * @param name name of the resource folder, beside this class, that contains {@code package.json} and the lock file
     * @return the folder that contains {@code node_modules}
     */
    static Path install(String name) {
        CacheFolder cache = CacheFolder.ofTheUser();
        // one folder per lock file
        String folderName = name + "-" + digest(resource(name, LOCK)).substring(0, 16);
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
                        Files.write(folder.resolve(part), resource(name, part));
                    }
                    npm(folder, name);
                    Files.createFile(complete);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return folder;
    }

    static byte[] resource(String name, String part) {
        try (InputStream content = NodePackage.class.getResourceAsStream(name + "/" + part)) {
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

    private static void npm(Path folder, String name) throws IOException {
        Process npm;
        try {
            npm = new ProcessBuilder("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new DatabaseUnavailableException("Cannot install " + name + ": npm cannot be started. " + ADVICE, e);
        }
        npm.getOutputStream().close();
        String output = new String(npm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (npm.waitFor() != 0) {
                throw new DatabaseUnavailableException(
                        "Cannot install " + name + ": npm failed. " + ADVICE + " Its output:\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseUnavailableException("Interrupted while npm installed " + name + ".", e);
        }
    }
}
