// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.upgrade;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AssertProvider;

/** What an {@link UpgradeCheck} has found, for {@code assertThat}. Immutable. */
public final class UpgradeReport implements AssertProvider<UpgradeReportAssert> {

    private final String sample;
    private final List<UpgradeFinding> findings;
    private final List<String> unchecked;

    UpgradeReport(String sample, List<UpgradeFinding> findings, List<String> unchecked) {
        this.sample = sample;
        this.findings = List.copyOf(findings);
        this.unchecked = List.copyOf(unchecked);
    }

    /** What breaks; without what was accepted. */
    public List<UpgradeFinding> findings() {
        return findings;
    }

    /** What was not checked, and why; what was accepted. */
    public List<String> unchecked() {
        return unchecked;
    }

    @Override
    public UpgradeReportAssert assertThat() {
        return new UpgradeReportAssert(this);
    }

    @Override
    public String toString() {
        return Stream.of(
                        Stream.of(sample),
                        findings.stream().map(finding -> "- " + finding),
                        Stream.of("Not checked:"),
                        unchecked.stream().map(each -> "- " + each))
                .flatMap(each -> each)
                .collect(Collectors.joining(System.lineSeparator()));
    }
}
