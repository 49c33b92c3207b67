// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.List;

/** Values of several rounds. */
public record Spread(double median, double min, double max) {

    /** @param values at least one */
    public static Spread of(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
