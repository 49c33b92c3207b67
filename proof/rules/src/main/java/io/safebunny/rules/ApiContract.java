// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a module makes public is what {@code proof/rules/api/<module>.txt} says; each shipped module extends it once. */
public abstract class ApiContract {

    /** Writes the file instead of comparing it. */
    static final String ACCEPT = "api.accept";

    private static final String HOW_TO_ACCEPT =
            "mvn -Dquick -Dtest=ApiTest -Dsurefire.failIfNoSpecifiedTests=false" + " -Dapi.accept test";

    private final Class<?> inModule;

    /** @param inModule any class of the module */
    protected ApiContract(Class<?> inModule) {
        this.inModule = inModule;
    }

    @Test
    void isWhatWasAccepted() throws IOException {
        Path classes = Path.of(URI.create(
                inModule.getProtectionDomain().getCodeSource().getLocation().toString()));
        Path module = classes.resolve("../..").normalize();
        compare(
                module.resolveSibling("proof/rules/api").resolve(module.getFileName() + ".txt"),
                PublicApi.of(classes, inModule.getClassLoader()),
                System.getProperty(ACCEPT) != null);
    }

    static void compare(Path accepted, String now, boolean accept) throws IOException {
        if (accept) {
            Files.writeString(accepted, now);
        }
        List<String> before = Files.exists(accepted) ? Files.readAllLines(accepted) : List.of();
        assertThat(now.lines())
                .as(
                        "The public API is no longer what %s says. If that is meant, accept it, look at the difference"
                                + " and commit it:%n%s%n",
                        accepted, HOW_TO_ACCEPT)
                .containsExactlyElementsOf(before);
    }
}
