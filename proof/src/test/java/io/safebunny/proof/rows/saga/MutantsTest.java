// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.safebunny.proof.model.FaultyStores;
import io.safebunny.proof.model.Interleavings;
import io.safebunny.proof.plant.Patch;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each fault of {@code bin/saga-proof} can be planted in the library as it is now; whether it is found takes minutes. */
@Tag("once")
class MutantsTest {

    private static final Path SOURCES =
            Objects.requireNonNull(Path.of("").toAbsolutePath().getParent()).resolve("safebunny-core/src/main/java");

    static List<Mutant> mutants() {
        return Mutant.all();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void fitsTheLibrary(Mutant mutant) {
        Patch patch = mutant.patch();

        assertThat(methods(Interleavings.class)).contains(mutant.runs());
        if (patch == null) {
            assertThat(methods(FaultyStores.class)).contains(mutant.store());
        } else {
            assertThatCode(() -> patch.changed(SOURCES)).doesNotThrowAnyException();
        }
    }

    private static List<String> methods(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods()).map(Method::getName).toList();
    }
}
