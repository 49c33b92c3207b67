// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import java.util.List;

/**
 * The content of a cell.
 *
 * @param text its text in the Markdown table
 */
record Outcome(Verdict verdict, String text) {

    /** The kinds of outcome. */
    enum Verdict {
        OK,
        FAILED,
        NOT_APPLICABLE
    }

    /** @param declared deviation that is known to happen there; may be empty */
    static Outcome ok(String declared) {
        return new Outcome(Verdict.OK, declared.isEmpty() ? "ok" : "ok, " + declared);
    }

    static Outcome failed(List<String> problems) {
        return new Outcome(Verdict.FAILED, "**FAILED** " + String.join("; ", problems));
    }

    static Outcome notApplicable(String why) {
        return new Outcome(Verdict.NOT_APPLICABLE, "n/a: " + why);
    }
}
