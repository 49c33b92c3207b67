// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.simulation;

import io.safebunny.crash.plant.PatchedLibrary;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Entry point of {@code bin/simulate}: what is found on standard error, a JSON object on standard output. */
public final class SimulateMain {

    private static final int MISUSE = 2;

    private SimulateMain() {}

    /** Five arguments: how many schedules, a seed, the name of a plant or nothing, the project's folder, {@code quiet} or {@code told}. */
    public static void main(String... arguments) throws Exception {
        String planted = arguments[2];
        if (!planted.isEmpty() && Plant.of(planted).isEmpty()) {
            System.err.printf(
                    "simulate: unknown plant '%s'; there are %s%n",
                    planted, Plant.all().stream().map(Plant::name).collect(Collectors.joining(", ")));
            System.exit(MISUSE);
        }
        String result = run(
                planted,
                Integer.parseInt(arguments[0]),
                Long.parseLong(arguments[1]),
                Path.of(arguments[3]),
                arguments[4].equals("told"));
        System.out.println(result);
        boolean isFound = result.contains("\"violations\":1");
        System.exit(isFound == planted.isEmpty() ? 1 : 0);
    }

    /** @param project the folder with the library's sources */
    static String run(String planted, int schedules, long seed, Path project, boolean tells) throws IOException {
        Plant plant = Plant.of(planted).orElse(null);
        if (plant == null || plant.patch() == null) {
            return Exploration.run(planted, schedules, seed, tells);
        }
        Path sources = project.resolve("safebunny-core/src/main/java");
        try (PatchedLibrary copy = new PatchedLibrary(sources, plant.patch())) {
            return (String) copy.load(Exploration.class.getName())
                    .getMethod("run", String.class, int.class, long.class, boolean.class)
                    .invoke(null, planted, schedules, seed, tells);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "The simulation with '%s' failed".formatted(planted),
                    e instanceof InvocationTargetException thrown ? thrown.getTargetException() : e);
        }
    }
}
