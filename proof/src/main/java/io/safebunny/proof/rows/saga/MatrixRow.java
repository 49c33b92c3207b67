// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rows of {@code bin/crash-matrix} about sagas.
 *
 * @param project folder of the command
 */
record MatrixRow(Path project) {

    private static final String SAMPLE = "^saga: halt (after complete of (Order|BunnyTimeout|UndoB|BunnyRepair)"
            + "|before send of UndoA|after bar of UndoB|after poison mark of DoneB)$";

    Finding find(Effort effort) throws IOException, InterruptedException {
        Process matrix = new ProcessBuilder(
                        project.resolve("bin/crash-matrix").toString(),
                        "--points",
                        effort.quick() ? SAMPLE : "^saga: ",
                        "--store",
                        effort.quick() ? "h2,postgresql" : "all")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String totals = "";
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(matrix.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                totals = line;
            }
        }
        boolean passed = matrix.waitFor() == 0;
        Map<String, Object> figures = new LinkedHashMap<>();
        if (totals.startsWith("{")) {
            JsonNode read = JsonMapper.shared().readTree(totals);
            List.of("ok", "failed", "not_applicable")
                    .forEach(name -> figures.put(name, read.path(name).asLong()));
        }
        return new Finding(passed && figures.get("ok") instanceof Long ok && ok > 0, figures);
    }
}
