// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import io.safebunny.message.Names;
import io.safebunny.upgrade.UpgradeSample.LeftOut;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts what is left out of a sample. Confined to one thread. */
final class Omissions {

    private static final int LONGEST = 200;

    private final Map<LeftOut, Long> counts = new LinkedHashMap<>();

    void add(String what, String why) {
        add(what, why, 1);
    }

    /** @param count 0 if it is not known */
    void add(String what, String why, long count) {
        counts.merge(new LeftOut(Names.printable(what, LONGEST), why, 0), count, Long::sum);
    }

    List<LeftOut> all() {
        return counts.entrySet().stream()
                .map(one -> new LeftOut(one.getKey().what(), one.getKey().why(), one.getValue()))
                .toList();
    }
}
