// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The sources of what is shipped, and of the crash tests, which run it. */
final class ShippedSources {

    private static final List<String> MODULES = List.of(
            "safebunny-api",
            "safebunny-core",
            "safebunny-rabbit",
            "safebunny-jdbc",
            "safebunny-cosmos",
            "safebunny-crypto",
            "safebunny-vault",
            "safebunny-claimcheck",
            "safebunny-cbor",
            "safebunny-protobuf",
            "safebunny-autoconfigure",
            "safebunny-test",
            "proof");

    private static final int FEWEST = 100;

    private ShippedSources() {}

    private static Path project() {
        Path classes = Path.of(URI.create(ShippedSources.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
        return classes.resolve("../../../..").normalize();
    }

    /** The lines of each file, by its name within the project. */
    static Map<String, List<String>> read() throws IOException {
        Path project = project();
        Map<String, List<String>> sources = new TreeMap<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(project.resolve(module).resolve("src/main/java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    sources.put(project.relativize(file).toString(), Files.readAllLines(file));
                }
            }
        }
        if (sources.size() < FEWEST) {
            throw new AssertionError("Only these sources are there: " + sources.keySet());
        }
        return sources;
    }
}
