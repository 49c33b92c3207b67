// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.upgrade;

import org.assertj.core.api.AbstractAssert;

/** Assertions on what an {@link UpgradeCheck} has found. A failure prints all of it, and what was not checked. */
public final class UpgradeReportAssert extends AbstractAssert<UpgradeReportAssert, UpgradeReport> {

    UpgradeReportAssert(UpgradeReport actual) {
        super(actual, UpgradeReportAssert.class);
    }

    /** Nothing in the sample breaks. What is not in it may. */
    public UpgradeReportAssert hasNoFindings() {
        isNotNull();
        if (!actual.findings().isEmpty()) {
            throw failed("%s findings".formatted(actual.findings().size()));
        }
        return this;
    }

    /** @param subject as in {@link UpgradeFinding#subject} */
    public UpgradeReportAssert finds(UpgradeFinding.Kind kind, String subject) {
        isNotNull();
        if (actual.findings().stream()
                .noneMatch(
                        finding -> finding.kind() == kind && finding.subject().equals(subject))) {
            throw failed("no %s of %s found".formatted(kind, subject));
        }
        return this;
    }

    private AssertionError failed(String what) {
        return failure("%s", "%s%n%s".formatted(what, actual));
    }
}
