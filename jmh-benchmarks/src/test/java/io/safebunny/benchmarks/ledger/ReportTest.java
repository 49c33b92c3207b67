// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Cost;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Result;
import io.safebunny.benchmarks.contest.Spread;
import java.util.LinkedHashMap;
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
    void namesWhereOthersWinBeforeAnyContest() {
        String markdown = report(0.5, 2).markdown();

        assertThat(markdown).contains("- Quick, by 2.00 (`oursVsQuick`)").doesNotContain("- Slow");
        assertThat(markdown.indexOf("- Quick, by")).isLessThan(markdown.indexOf("### "));
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

    @Test
    void aContendersFiguresAreColumnsOfItsRow() {
        Contest contest = new Contest(
                        "costs", "none", List.of(new Contender("SafeBunny", () -> new Figures(Map.of()))), List.of())
                .with(new Cost("walPerMessage", "SafeBunny", "WAL, bytes", 600));
        Map<String, Spread> figures = new LinkedHashMap<>();
        figures.put("messages/s", new Spread(2_000, 1_000, 3_000));
        figures.put("WAL, bytes", new Spread(700, 700, 700));
        Result result = new Result(
                contest, Map.of("SafeBunny", figures), Map.of("walPerMessage", new Spread(700, 700, 700)), Map.of());
        Report report = new Report(Map.of(), Effort.QUICK, List.of(result));

        assertThat(report.markdown())
                .contains("| contender | messages/s | WAL, bytes |")
                .contains("| SafeBunny | **2,000** 1,000–3,000 | **700** 700–700 |")
                .contains(
                        "| `walPerMessage` | SafeBunny | WAL, bytes | **700** | 700 | 700 | at most 600, **missed** |");
        assertThat(report.summary()).isEqualTo("{\"ratios\":{\"walPerMessage\":700.0}}");
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
        return new Result(contest, Map.of(), Map.of(ratio.key(), new Spread(median, median, median)), Map.of());
    }
}
