// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * A planted fault. Immutable.
 *
 * @param runs the factory method of {@code Interleavings} whose runs must find it
 * @param store the method of {@code FaultyStores} that plants it; {@code null} for one in the library
 * @param source source file of the library, relative to its source folder; {@code null} for one in a store
 * @param before what stands there
 * @param after what stands there instead
 */
record Mutant(
        String name,
        String runs,
        @Nullable String store,
        @Nullable String source,
        String before,
        String after) {

    private static final String SAGAS = "ofSagas";
    private static final String UNDOS = "ofUndos";
    private static final String VERSIONS = "ofVersions";
    private static final String ROOM = "io/safebunny/orchestrating/";

    static List<Mutant> all() {
        return List.of(
                new Mutant("no ETag", SAGAS, "withoutEtag", null, "", ""),
                new Mutant("saga written without record", SAGAS, "inTwoWrites", null, "", ""),
                patch(
                        "no token",
                        SAGAS,
                        ROOM + "TimeoutInvoker.java",
                        "|| !timeout.token().equals(context.messageId())",
                        ""),
                patch(
                        "undo forwards",
                        SAGAS,
                        ROOM + "Compensation.java",
                        "for (int i = steps.size() - 1; i >= 0; i--) {",
                        "for (int i = 0; i < steps.size(); i++) {"),
                patch(
                        "undo after reply",
                        SAGAS,
                        ROOM + "Compensation.java",
                        "        goOn(saga, handling, now);\n    }\n\n    /** Sends the next undo",
                        """
                                    if (handling.message().type().startsWith("Bunny") && !saga.steps().all().isEmpty()) {
                                        saga.steps().remove(saga.steps().all().get(saga.steps().all().size() - 1).name());
                                    }
                                    goOn(saga, handling, now);
                                }

                                /** Sends the next undo"""),
                new Mutant("no fence", UNDOS, "withoutFence", null, "", ""),
                patch(
                        "fields dropped",
                        VERSIONS,
                        ROOM + "document/SagaStates.java",
                        "written = UnknownFields.keep(old, tree(deserialize(old)), written);",
                        ""),
                patch(
                        "conflict counted as attempt",
                        SAGAS,
                        "io/safebunny/dedup/Deduplication.java",
                        "        if (losses == MOST_LOSSES) {",
                        "        if (losses > 0) {\n            throw new IllegalStateException(\"lost a race\");\n        }\n        if (losses == MOST_LOSSES) {"));
    }

    private static Mutant patch(String name, String runs, String source, String before, String after) {
        return new Mutant(name, runs, null, source, before, after);
    }

    /**
     * Compiles the changed class.
     *
     * @param sources the library's source folder
     * @param to receives the class files
     * @throws IllegalStateException the source has changed, so that the fault cannot be planted there any more
     */
    void plant(Path sources, Path to) throws IOException {
        if (source == null) {
            return;
        }
        Path file = sources.resolve(source);
        String text = Files.exists(file) ? Files.readString(file) : "";
        if (!text.contains(before)) {
            throw new IllegalStateException(
                    "The fault '%s' cannot be planted: %s does not contain '%s' any more. Adapt it."
                            .formatted(name, file, before));
        }
        Path changed = to.resolve("src").resolve(file.getFileName().toString());
        Files.createDirectories(changed.getParent());
        Files.writeString(changed, text.replace(before, after));
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
                throw new IllegalStateException("The fault '%s' does not compile any more. Adapt it.".formatted(name));
            }
        }
    }
}
