// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation;

import io.safebunny.proof.plant.Patch;
import io.safebunny.proof.plant.PatchedLibrary;
import io.safebunny.test.simulation.Simulation;
import io.safebunny.test.simulation.run.Schedule;
import io.safebunny.test.simulation.run.Violation;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Entry point of {@code bin/simulate}: what is found on standard error, a JSON object on standard output. */
public final class SimulateMain {

    private static final String FOUND = "found";
    private static final int VIOLATION = 1;
    private static final int MISUSE = 2;
    private static final int UNTOLD = 3;

    private SimulateMain() {}

    /**
     * Six arguments: how many schedules, a seed, the name of a plant or nothing, the project's folder, {@code quiet} or {@code told}, an
     * expression for stories.
     */
    public static void main(String... arguments) {
        String planted = arguments[2];
        String stories = arguments[5];
        if (!planted.isEmpty() && Plant.of(planted).isEmpty()) {
            System.err.printf(
                    Locale.ROOT,
                    "simulate: unknown plant '%s'; there are %s%n",
                    planted,
                    Plant.all().stream().map(Plant::name).collect(Collectors.joining(", ")));
            System.exit(MISUSE);
        }
        if (!names(stories)) {
            System.exit(MISUSE);
        }
        System.exit(status(
                planted,
                stories,
                Integer.parseInt(arguments[0]),
                Long.parseLong(arguments[1]),
                Path.of(arguments[3]),
                arguments[4].equals("told")));
    }

    private static boolean names(String stories) {
        try {
            if (!Exploration.names(Pattern.compile(stories)).isEmpty()) {
                return true;
            }
            System.err.printf(
                    Locale.ROOT,
                    "simulate: no story has '%s' in its name; there are %s%n",
                    stories,
                    Exploration.names(Pattern.compile("")));
        } catch (PatternSyntaxException e) {
            System.err.println("simulate: --stories is no regular expression: " + e.getDescription());
        }
        return false;
    }

    private static int status(String planted, String stories, int schedules, long seed, Path project, boolean tells) {
        try {
            ObjectNode result = run(planted, stories, schedules, seed, project, tells);
            System.out.println(result);
            boolean isAsExpected = planted.isEmpty()
                    ? result.get("violations").intValue() == 0
                    : result.get(FOUND).booleanValue();
            return isAsExpected ? 0 : VIOLATION;
        } catch (Exception | Error e) {
            System.err.println("simulate: it cannot be told what holds: " + e);
            for (StackTraceElement element : e.getStackTrace()) {
                System.err.println("    at " + element);
            }
            return UNTOLD;
        }
    }

    /**
     * A planted bug is found only if the sound system holds in the schedule in which the other one does not.
     *
     * @param stories expression for the names of stories; empty for all
     * @param project the folder with the library's sources
     */
    static ObjectNode run(String planted, String stories, int schedules, long seed, Path project, boolean tells)
            throws IOException {
        Plant plant = Plant.of(planted).orElse(null);
        String json = plant == null || plant.patch() == null
                ? Exploration.run(planted, stories, schedules, seed, tells)
                : runPatched(plant.patch(), schedules, seed, project, tells);
        ObjectNode result = (ObjectNode) JsonMapper.shared().readTree(json);
        if (plant != null && result.get(FOUND).booleanValue()) {
            String[] events = result.get(Exploration.SHORTEST)
                    .valueStream()
                    .map(JsonNode::asString)
                    .toArray(String[]::new);
            result.put(FOUND, holds(plant, Schedule.read(events)));
        }
        return result;
    }

    private static boolean holds(Plant plant, Schedule schedule) {
        Violation violation = Simulation.of(plant.sound()).violationOf(schedule);
        if (violation != null) {
            System.err.println("simulate: the system without the bug does not hold either: " + violation);
        }
        return violation == null;
    }

    private static String runPatched(Patch patch, int schedules, long seed, Path project, boolean tells)
            throws IOException {
        Path sources = project.resolve("safebunny-core/src/main/java");
        try (PatchedLibrary copy = new PatchedLibrary(sources, patch)) {
            return (String) copy.load(Exploration.class.getName())
                    .getMethod("run", String.class, String.class, int.class, long.class, boolean.class)
                    .invoke(null, patch.name(), "", schedules, seed, tells);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "The simulation with '%s' failed. Check the cause.".formatted(patch.name()),
                    e instanceof InvocationTargetException thrown ? thrown.getTargetException() : e);
        }
    }
}
