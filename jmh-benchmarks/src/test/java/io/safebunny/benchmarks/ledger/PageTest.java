// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.benchmarks.contest.Bin;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {

    private static final Path DOCS = Path.of("../docs");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void theReportReplacesThePreviousOneAndItsPlots() throws Exception {
        Path page =
                Files.writeString(folder.resolve("page.md"), "before\n" + Page.BEGIN + "old\n" + Page.END + "after\n");
        Files.createDirectories(folder.resolve(Report.PLOTS));
        Files.writeString(folder.resolve("benchmarks/old.svg"), "old");
        new Page(page).put(report());

        assertThat(page)
                .content()
                .startsWith("before\n")
                .contains("### Saga, latency", "](benchmarks/saga-latency.svg)")
                .doesNotContain("old")
                .endsWith(Page.END + "after\n");
        assertThat(folder.resolve("benchmarks/saga-latency.svg")).content().contains("<svg");
        assertThat(folder.resolve("benchmarks/old.svg")).doesNotExist();
    }

    @Test
    void aPageWithoutAPlaceStaysAsItIs() throws Exception {
        Path page = Files.writeString(folder.resolve("page.md"), "before\n");

        assertThatThrownBy(() -> new Page(page).put(report()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(Page.BEGIN.strip());
        assertThat(page).hasContent("before");
    }

    @Test
    void theDocumentationHasThePlace() throws Exception {
        assertThat(Files.readString(DOCS.resolve("benchmarks.md"))).containsSubsequence(Page.BEGIN, Page.END);
    }

    private static Report report() {
        Contest contest = new Contest("Saga, latency", "none", List.of(), List.of());
        Result result = new Result(contest, Map.of(), Map.of(), Map.of("SafeBunny", List.of(new Bin(1, 2, 3, 4))));
        return new Report(Map.of(), Effort.QUICK, List.of(result));
    }
}
