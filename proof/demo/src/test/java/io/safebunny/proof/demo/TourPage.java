// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What docs/tour.md tells its reader to do: the command that starts the sample, and requests with the facts that follow them. Whatever it has that
 * looks like either and cannot be understood is an error, so that nothing on the page goes unchecked.
 *
 * @param start arguments of {@code bin/demo}
 */
record TourPage(List<String> start, List<Step> steps) {

    private static final String FENCE = "```";
    private static final String DEMO = "bin/demo ";

    /** A request and what its answer must have. */
    record Step(TourRequest request, List<TourFact> facts) {}

    static TourPage read(Path file) throws IOException {
        List<String> start = new ArrayList<>();
        List<Step> steps = new ArrayList<>();
        StringBuilder block = null;
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(FENCE) && block == null) {
                block = new StringBuilder();
            } else if (line.startsWith(FENCE) && block != null) {
                String command = block.toString().strip();
                block = null;
                if (command.startsWith(DEMO)) {
                    start.addAll(List.of(command.substring(DEMO.length()).split(" +", -1)));
                } else {
                    steps.add(new Step(TourRequest.parse(command), new ArrayList<>()));
                }
            } else if (block != null) {
                block.append(line).append('\n');
            } else if (line.startsWith("- ")) {
                steps.get(steps.size() - 1).facts().add(TourFact.parse(line));
            }
        }
        for (Step step : steps) {
            if (step.facts().isEmpty()) {
                throw new IllegalArgumentException("No fact follows " + step.request());
            }
        }
        return new TourPage(start, steps);
    }
}
