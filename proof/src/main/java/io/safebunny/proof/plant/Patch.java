// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.plant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.springframework.util.StringUtils;

/**
 * A change of one source file of the library. Immutable.
 *
 * @param name of the fault that it plants
 * @param source relative to the library's source folder
 * @param before what stands there, once
 * @param after what stands there instead
 */
public record Patch(String name, String source, String before, String after) {

    /**
     * Compiles the changed class.
     *
     * @param sources the library's source folder
     * @param to receives the class files
     * @throws IllegalStateException the source has changed, so that the fault cannot be planted there any more
     */
    public void plant(Path sources, Path to) throws IOException {
        Path changed = to.resolve("src").resolve(Path.of(source).getFileName().toString());
        Files.createDirectories(changed.getParent());
        Files.writeString(changed, changed(sources));
        JavaCompiler compiler =
                Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "planting faults needs a JDK");
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            null,
                            files,
                            null,
                            List.of(
                                    "-nowarn",
                                    "-proc:none",
                                    "-parameters",
                                    "-d",
                                    to.toString(),
                                    "-cp",
                                    System.getProperty("java.class.path")),
                            null,
                            files.getJavaFileObjects(changed))
                    .call();
            if (!compiled) {
                throw new IllegalStateException(
                        "The fault '%s' does not compile any more. Its text must fit the source as it is now."
                                .formatted(name));
            }
        }
    }

    /** @throws IllegalStateException the source has changed, so that the fault cannot be planted there any more */
    public String changed(Path sources) throws IOException {
        Path file = sources.resolve(source);
        String text = Files.exists(file) ? Files.readString(file) : "";
        int found = StringUtils.countOccurrencesOf(text, before);
        if (found != 1) {
            throw new IllegalStateException(
                    "The fault '%s' cannot be planted: %s has '%s' %s times. Name a text that the source has once."
                            .formatted(name, file, before, found));
        }
        return text.replace(before, after);
    }
}
