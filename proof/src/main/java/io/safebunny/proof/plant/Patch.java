// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.plant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A change of one source file of the library. Immutable.
 *
 * @param name of the fault that it plants
 * @param source relative to the library's source folder
 */
public record Patch(String name, String source, List<Edit> edits) {

    /**
     * @param before what stands there
     * @param after what stands there instead
     */
    private record Edit(String before, String after) {}

    public Patch {
        edits = List.copyOf(edits);
    }

    public static Patch of(String name, String source, String before, String after) {
        return new Patch(name, source, List.of(new Edit(before, after)));
    }

    /** In the same file. */
    public Patch and(String before, String after) {
        List<Edit> all = new ArrayList<>(edits);
        all.add(new Edit(before, after));
        return new Patch(name, source, all);
    }

    /**
     * Compiles the changed class.
     *
     * @param sources the library's source folder
     * @param to receives the class files
     * @throws IllegalStateException the source has changed, so that the fault cannot be planted there any more
     */
    public void plant(Path sources, Path to) throws IOException {
        Path file = sources.resolve(source);
        Path changed = to.resolve("src").resolve(file.getFileName().toString());
        Files.createDirectories(changed.getParent());
        Files.writeString(changed, changed(file));
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

    private String changed(Path file) throws IOException {
        String text = Files.exists(file) ? Files.readString(file) : "";
        for (Edit edit : edits) {
            if (!text.contains(edit.before())) {
                throw new IllegalStateException(
                        "The fault '%s' cannot be planted: %s does not contain '%s' any more. The fault must name a text of the source as it is now."
                                .formatted(name, file, edit.before()));
            }
            text = text.replace(edit.before(), edit.after());
        }
        return text;
    }
}
