// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.soak;

import java.util.ArrayList;
import java.util.List;

/** What a run is judged by; a run in which little happened says nothing and fails too. */
final class Verdict {

    static final int ORDERS_PER_SECOND = 10;
    static final int SECONDS_PER_FAULT = 6;

    private final List<String> failures;

    Verdict(List<String> failures) {
        this.failures = new ArrayList<>(failures);
    }

    void require(boolean holds, String otherwise) {
        if (!holds) {
            failures.add(otherwise);
        }
    }

    List<String> failures() {
        return List.copyOf(failures);
    }
}
