// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How fast two things were in rounds that took turns. Confined to one thread. */
public final class Contest {

    private final String one;
    private final String other;
    private final List<Double> ofOne = new ArrayList<>();
    private final List<Double> ofOther = new ArrayList<>();

    /** @param other what is compared with the first one, in a word, as that is */
    public Contest(String one, String other) {
        this.one = one;
        this.other = other;
    }

    /** One round, in messages per second. */
    public void add(double rateOfOne, double rateOfOther) {
        ofOne.add(rateOfOne);
        ofOther.add(rateOfOther);
    }

    /** @param least ratio of the medians that is wanted */
    public Finding finding(double least, int messages) {
        Map<String, Object> figures = new LinkedHashMap<>();
        double ratio = Math.round(100 * median(ofOther) / median(ofOne)) / 100.0;
        figures.put("ratio", ratio);
        figures.put("rounds", ofOne.size());
        figures.put("messages each", messages);
        figures.put(one + " per s, median", Math.round(median(ofOne)));
        figures.put(one + " per s, spread", spread(ofOne));
        figures.put(other + " per s, median", Math.round(median(ofOther)));
        figures.put(other + " per s, spread", spread(ofOther));
        return new Finding(ratio >= least, figures);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static String spread(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return String.format(Locale.ROOT, "%.0f to %.0f", sorted.get(0), sorted.get(sorted.size() - 1));
    }
}
