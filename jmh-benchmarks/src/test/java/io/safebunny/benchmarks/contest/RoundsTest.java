// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {

    private static final Effort THREE_ROUNDS = new Effort(1, 3, 1);

    private final Rounds rounds = new Rounds(THREE_ROUNDS, line -> {});
    private final List<String> order = new ArrayList<>();

    @Test
    void ratiosAreTakenWithinARoundAndWarmUpsDoNotCount() throws Exception {
        Result result = rounds.play(contest(
                contender("ours", Figures.PER_SECOND, 1, 10, 20, 90),
                contender("theirs", Figures.PER_SECOND, 1_000, 5, 20, 30)));

        assertThat(result.ratios()).containsEntry("oursVsTheirs", new Spread(2, 1, 3));
        assertThat(result.figures().get("ours")).containsEntry(Figures.PER_SECOND, new Spread(20, 10, 90));
    }

    @Test
    void sagasAreComparedByTheirRate() throws Exception {
        Result result = rounds.play(contest(
                contender("ours", Figures.SAGAS_PER_SECOND, 1, 30, 30, 30),
                contender("theirs", Figures.SAGAS_PER_SECOND, 1, 10, 10, 10)));

        assertThat(result.ratios()).containsEntry("oursVsTheirs", new Spread(3, 3, 3));
    }

    @Test
    void costsAreReportedLikeRatios() throws Exception {
        Contender ours = contender("ours", "statements", 9, 2, 1, 3);
        Contest contest = new Contest("a contest", "none", List.of(ours), List.of());
        Result result = rounds.play(contest.with(new Cost("statementsOfOurs", "ours", "statements", 1)));

        assertThat(result.ratios()).containsEntry("statementsOfOurs", new Spread(2, 1, 3));
    }

    @Test
    void aContestThatTakesLongIsMeasuredOnce() throws Exception {
        Contest contest = new Contest("a contest", "none", List.of(contender("ours", "ms", 7)), List.of());
        Result result = rounds.play(contest.with(Plan.ONCE));

        assertThat(result.figures().get("ours")).containsEntry("ms", new Spread(7, 7, 7));
    }

    @Test
    void whatIsWarmNeedsNoWarmUp() throws Exception {
        Contest contest = new Contest("a contest", "none", List.of(contender("ours", "ms", 1, 2, 3)), List.of());
        Result result = rounds.play(contest.with(Plan.WARM_ROUNDS));

        assertThat(result.figures().get("ours")).containsEntry("ms", new Spread(2, 1, 3));
    }

    @Test
    void whatIsNotWarmedUpByOthersWarmsUpItself() {
        Contest contest = new Contest("a contest", "none", List.of(), List.of());

        assertThat(contest.with(Plan.WARM_ROUNDS).alone().plan()).isEqualTo(Plan.ROUNDS);
        assertThat(contest.with(Plan.ONCE).alone().plan()).isEqualTo(Plan.ONCE);
    }

    @Test
    void aWarmUpMayBeShorterThanWhatIsMeasured() throws Exception {
        Contender ours = new Contender("ours", () -> new Figures(Map.of("ms", 5.0)), () -> {
            order.add("warm-up");
            return new Figures(Map.of("ms", 1.0));
        });
        Result result = rounds.play(new Contest("a contest", "none", List.of(ours), List.of()));

        assertThat(order).containsExactly("warm-up");
        assertThat(result.figures().get("ours")).containsEntry("ms", new Spread(5, 5, 5));
    }

    @Test
    void theOrderIsReversedEveryOtherRound() throws Exception {
        Result unused = rounds.play(contest(
                contender("ours", Figures.PER_SECOND, 1, 1, 1, 1),
                contender("theirs", Figures.PER_SECOND, 1, 1, 1, 1)));

        assertThat(order).containsExactly("theirs", "ours", "ours", "theirs", "theirs", "ours", "ours", "theirs");
    }

    @Test
    void aRatioWithoutARateIsRefused() {
        Contest contest = contest(contender("ours", "latency", 1, 1, 1, 1), contender("theirs", "latency", 1, 1, 1, 1));

        assertThatThrownBy(() -> rounds.play(contest)).hasMessageContaining("ours");
    }

    private Contest contest(Contender ours, Contender theirs) {
        return new Contest(
                "a contest",
                "none",
                List.of(ours, theirs),
                List.of(new Ratio("oursVsTheirs", ours.name(), theirs.name(), 0)));
    }

    private Contender contender(String name, String figure, double... values) {
        Iterator<Double> next = Arrays.stream(values).boxed().toList().iterator();
        return new Contender(name, () -> {
            order.add(name);
            return new Figures(Map.of(figure, next.next()));
        });
    }
}
