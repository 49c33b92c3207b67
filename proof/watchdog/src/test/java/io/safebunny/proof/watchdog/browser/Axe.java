// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.browser;

import io.safebunny.test.database.NodePackage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** axe-core, which finds what keeps people from using a page: a script that runs in it. */
final class Axe {

    private static final String SOURCE = source();

    private Axe() {}

    /** Defines {@code axe} in the page that runs it. */
    static String script() {
        return SOURCE;
    }

    private static String source() {
        Path installed = NodePackage.install(Axe.class, "axe", "Install Node.js and npm.");
        try {
            return Files.readString(installed.resolve("node_modules/axe-core/axe.min.js"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
