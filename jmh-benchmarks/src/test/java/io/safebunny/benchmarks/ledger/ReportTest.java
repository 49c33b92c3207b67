// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Result;
import io.safebunny.benchmarks.contest.Spread;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void saysFirstWhoIsFasterThanSafeBunny() {
        String markdown = report(0.5, 2).markdown();

        assertThat(markdown).contains("Faster than SafeBunny: Quick (by 2.00).");
        assertThat(markdown.indexOf("Faster than SafeBunny")).isLessThan(markdown.indexOf("| contender |"));
    }

    @Test
    void saysNothingIfNobodyIs() {
        assertThat(report(1.5, 2).markdown()).doesNotContain("Faster than SafeBunny");
    }

    @Test
    void aSlowerStoreOfSafeBunnyIsNotAPeer() {
        Report report = new Report(
                Map.of(),
                Effort.QUICK,
                List.of(result(new Ratio("storeVsNone", "SafeBunny, memory", "SafeBunny", 0), 0.5)));

        assertThat(report.markdown()).doesNotContain("Faster than SafeBunny");
    }

    @Test
    void theSummaryHasTheMedianOfEachRatio() {
        assertThat(report(0.5, 2).summary()).isEqualTo("{\"ratios\":{\"oursVsQuick\":0.5,\"oursVsSlow\":2.0}}");
    }

    private static Report report(double quick, double slow) {
        return new Report(
                Map.of(),
                Effort.QUICK,
                List.of(
                        result(new Ratio("oursVsQuick", "SafeBunny", "Quick", 0), quick),
                        result(new Ratio("oursVsSlow", "SafeBunny", "Slow", 0), slow)));
    }

    private static Result result(Ratio ratio, double median) {
        Contest contest = new Contest(
                ratio.key(), "none", List.of(new Contender(ratio.of(), () -> new Figures(Map.of()))), List.of(ratio));
        return new Result(contest, Map.of(), Map.of(ratio.key(), new Spread(median, median, median)));
    }
}
