// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.saga.SagaView;
import io.safebunny.test.harness.Happening;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Describes a saga in readable text. */
final class SagaText {

    private SagaText() {}

    /** @param since the moment to which printed times are relative */
    static List<String> lines(SagaView saga, Instant since) {
        List<String> lines = new ArrayList<>();
        lines.add("saga %s '%s' is %s%s"
                .formatted(
                        saga.saga(),
                        saga.id(),
                        saga.status(),
                        saga.reason() == null ? "" : " because of '%s'".formatted(saga.reason())));
        lines.add("  state " + saga.state());
        saga.steps()
                .forEach(step -> lines.add("  step '%s' %s is %s".formatted(step.name(), step.type(), step.status())));
        saga.timeouts().forEach((name, due) -> lines.add("  timeout '%s' at %s".formatted(name, at(since, due))));
        saga.blockedOn()
                .forEach(blocked -> lines.add("  blocked on %s, which %s set aside: %s"
                        .formatted(blocked.type(), blocked.node(), blocked.reason())));
        saga.history().forEach(event -> lines.add("%12s  %s".formatted(at(since, event.at()), event.what())));
        return lines;
    }

    private static String at(Instant since, Instant moment) {
        return "+" + Happening.text(Duration.between(since, moment));
    }
}
