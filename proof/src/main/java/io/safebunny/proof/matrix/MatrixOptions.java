// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.store.StoreKind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * @param modes whether the store takes part in the handlers' transactions: one value or both
 * @param points pattern of the scenarios to run
 * @param logs folder for the logs of failed scenarios
 */
record MatrixOptions(List<StoreKind> stores, List<Boolean> modes, Pattern points, Path logs) {

    /** Four arguments: a store or {@code all}, a mode or {@code all}, a pattern, a folder. */
    static MatrixOptions of(String... arguments) {
        List<StoreKind> stores = arguments[0].equals("all")
                ? List.of(StoreKind.values())
                : Arrays.stream(arguments[0].split(",")).map(StoreKind::of).toList();
        List<Boolean> modes =
                switch (arguments[1]) {
                    case "plain" -> List.of(false);
                    case "transactional" -> List.of(true);
                    default -> List.of(false, true);
                };
        return new MatrixOptions(stores, modes, Pattern.compile(arguments[2]), Path.of(arguments[3]));
    }
}
