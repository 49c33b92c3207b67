// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.upgrade;

import io.safebunny.test.upgrade.UpgradeFinding.Kind;
import io.safebunny.upgrade.UpgradeSample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects what one check finds: what several messages show alike is one finding. Confined to one thread. */
final class Findings {

    private final Set<Accepted> accepted;
    private final Map<UpgradeFinding, List<String>> found = new LinkedHashMap<>();
    private final Set<String> unchecked = new LinkedHashSet<>();
    private boolean hasRead;

    /** A finding that is meant. */
    record Accepted(Kind kind, String subject) {}

    Findings(Set<Accepted> accepted) {
        this.accepted = accepted;
    }

    /** @param where which message or state shows it; empty if it takes none */
    void add(Kind kind, String subject, String where, String problem, String action) {
        List<String> places =
                found.computeIfAbsent(new UpgradeFinding(kind, subject, problem, action), unused -> new ArrayList<>());
        if (!where.isEmpty()) {
            places.add(where);
        }
    }

    /** A body or state is about to be read. */
    void reading() {
        hasRead = true;
    }

    /** @param what a sentence */
    void unchecked(String what) {
        unchecked.add(what);
    }

    UpgradeReport report(UpgradeSample sample) {
        if (!hasRead) {
            add(
                    Kind.NOTHING_CHECKED,
                    sample.node(),
                    "",
                    "No body and no state was read: the sample has %s messages and %s states."
                            .formatted(sample.messages().size(), sample.states().size()),
                    "Take a sample where some are stored, or name published classes with publishing(…). If there are none, accept this finding.");
        }
        List<UpgradeFinding> findings = new ArrayList<>();
        Set<Accepted> unused = new LinkedHashSet<>(accepted);
        List<String> rest = new ArrayList<>();
        found.forEach((finding, places) -> {
            UpgradeFinding told = new UpgradeFinding(
                    finding.kind(), finding.subject(), finding.problem() + seenIn(places), finding.action());
            Accepted same = new Accepted(finding.kind(), finding.subject());
            if (accepted.contains(same)) {
                unused.remove(same);
                rest.add("Accepted: " + told);
            } else {
                findings.add(told);
            }
        });
        unused.forEach(one -> rest.add("Accepted, but not found: %s %s.".formatted(one.kind(), one.subject())));
        rest.addAll(unchecked);
        sample.leftOut()
                .forEach(out -> rest.add(
                        "%s%s %s.".formatted(out.count() == 0 ? "" : out.count() + " × ", out.what(), out.why())));
        rest.add("What is not in the sample.");
        return new UpgradeReport(
                "Sample of node %s, taken at %s: %s messages and %s states of sagas. %s findings."
                        .formatted(
                                sample.node(),
                                sample.takenAt(),
                                sample.messages().size(),
                                sample.states().size(),
                                findings.size()),
                findings,
                rest);
    }

    private static String seenIn(List<String> places) {
        return switch (places.size()) {
            case 0 -> "";
            case 1 -> " Seen in %s.".formatted(places.get(0));
            default -> " Seen in %s, and in %s others.".formatted(places.get(0), places.size() - 1);
        };
    }
}
