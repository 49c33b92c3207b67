// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.proof.plant.Patch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A planted fault. Immutable.
 *
 * @param runs the factory method of {@code Interleavings} whose runs must find it
 * @param store the method of {@code FaultyStores} that plants it; {@code null} for one in the library
 * @param patch the change of the library that plants it; {@code null} for one in a store
 */
record Mutant(
        String name,
        String runs,
        @Nullable String store,
        @Nullable Patch patch) {

    private static final String SAGAS = "ofSagas";
    private static final String UNDOS = "ofUndos";
    private static final String VERSIONS = "ofVersions";
    private static final String ROOM = "io/safebunny/saga/execution/";

    static List<Mutant> all() {
        return List.of(
                new Mutant("no ETag", SAGAS, "withoutEtag", null),
                new Mutant("saga written without record", SAGAS, "inTwoWrites", null),
                patch(
                        "no token",
                        SAGAS,
                        ROOM + "TimeoutInvoker.java",
                        "|| !isAwaited(visit.saga(), alarm, context.messageId())",
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
                        "        goOn();\n    }\n\n    /** Sends the next undo",
                        """
                                    if (visit.handling().message().type().startsWith("Bunny") && !saga.steps().all().isEmpty()) {
                                        saga.steps().remove(saga.steps().all().get(saga.steps().all().size() - 1).name());
                                    }
                                    goOn();
                                }

                                /** Sends the next undo"""),
                new Mutant("no fence", UNDOS, "withoutFence", null),
                patch(
                        "fields dropped",
                        VERSIONS,
                        "io/safebunny/saga/document/SagaStates.java",
                        "written = UnknownFields.keep(old, StateFormat.read(old, saga.stateType()), written);",
                        ""),
                patch(
                        "conflict counted as attempt",
                        SAGAS,
                        "io/safebunny/consuming/MessageHandling.java",
                        "        if (losses == MOST_LOSSES) {",
                        "        if (losses > 0) {\n            throw new IllegalStateException(\"lost a race\");\n        }\n        if (losses == MOST_LOSSES) {"));
    }

    private static Mutant patch(String name, String runs, String source, String before, String after) {
        return new Mutant(name, runs, null, new Patch(name, source, before, after));
    }
}
