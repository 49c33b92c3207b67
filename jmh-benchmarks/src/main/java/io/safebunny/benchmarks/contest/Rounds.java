// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs contests. In each round every contender has its turn, in reverse order every other round, so that nobody gains when the
 * machine gets slower or faster. Ratios are taken within a round.
 */
public final class Rounds {

    private final Effort effort;
    private final Consumer<String> progress;

    public Rounds(Effort effort, Consumer<String> progress) {
        this.effort = effort;
        this.progress = progress;
    }

    public Result play(Contest contest) throws Exception {
        Map<String, Map<String, List<Double>>> figures = new LinkedHashMap<>();
        Map<String, List<Double>> ratios = new LinkedHashMap<>();
        Map<String, List<Bin>> bins = new LinkedHashMap<>();
        int rounds = contest.plan().rounds(effort);
        for (int round = -contest.plan().warmUps(effort); round < rounds; round++) {
            Map<String, Figures> measured = playRound(contest, round);
            if (round >= 0) {
                measured.forEach((name, found) -> found.byName().forEach((figure, value) -> values(
                                figures.computeIfAbsent(name, key -> new LinkedHashMap<>()), figure)
                        .add(value)));
                contest.ratios().forEach(ratio -> values(ratios, ratio.key())
                        .add(rate(measured, ratio.of()) / rate(measured, ratio.to())));
                contest.costs().forEach(cost -> values(ratios, cost.key()).add(counted(measured, cost)));
                measured.forEach((name, found) -> bins.put(name, found.bins()));
            }
        }
        Map<String, Map<String, Spread>> spreads = new LinkedHashMap<>();
        figures.forEach((name, found) -> spreads.put(name, spreads(found)));
        bins.values().removeIf(List::isEmpty);
        return new Result(contest, spreads, spreads(ratios), bins);
    }

    private Map<String, Figures> playRound(Contest contest, int round) throws Exception {
        List<Contender> order = new ArrayList<>(contest.contenders());
        if (round % 2 != 0) {
            Collections.reverse(order);
        }
        Map<String, Figures> measured = new LinkedHashMap<>();
        for (Contender contender : order) {
            Contender.Measurement turn = round < 0 ? contender.warmUp() : contender.measurement();
            Figures figures = turn.measure();
            measured.put(contender.name(), figures);
            progress.accept("%s, %s: %s %s"
                    .formatted(
                            contest.title(),
                            round < 0 ? "warm-up" : "round " + (round + 1),
                            contender.name(),
                            figures.byName()));
        }
        return measured;
    }

    private static double rate(Map<String, Figures> measured, String contender) {
        return Optional.ofNullable(measured.get(contender))
                .flatMap(Figures::rate)
                .orElseThrow(() -> new IllegalArgumentException(
                        "No contender of that name with a rate [name=%s]".formatted(contender)));
    }

    private static double counted(Map<String, Figures> measured, Cost cost) {
        return Optional.ofNullable(measured.get(cost.of()))
                .map(figures -> figures.byName().get(cost.figure()))
                .orElseThrow(() -> new IllegalArgumentException(
                        "No contender of that name with that figure [%s]".formatted(cost)));
    }

    private static List<Double> values(Map<String, List<Double>> all, String name) {
        return all.computeIfAbsent(name, key -> new ArrayList<>());
    }

    private static Map<String, Spread> spreads(Map<String, List<Double>> all) {
        Map<String, Spread> spreads = new LinkedHashMap<>();
        all.forEach((name, values) -> spreads.put(name, Spread.of(values)));
        return spreads;
    }
}
