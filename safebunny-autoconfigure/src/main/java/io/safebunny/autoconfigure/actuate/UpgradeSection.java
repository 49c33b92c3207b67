// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.message.Names;
import io.safebunny.upgrade.UpgradeSample;
import io.safebunny.upgrade.UpgradeSamples;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * A sample of what is stored, for the check of the next version. Its values are masked, but it is made of contents: refuses users who may not
 * see them, and audits that it was taken. Thread-safe, if the masker is.
 */
final class UpgradeSection implements Section {

    private static final String STATES = "management.endpoint.safebunny.show-states";
    private static final String BODIES = "management.endpoint.safebunnypoison.show-bodies";

    private final UpgradeSamples samples;
    private final BodyMasker masker;
    private final Predicate<SecurityContext> showsStates;
    private final Predicate<SecurityContext> showsBodies;
    private final Audit audit;

    UpgradeSection(
            UpgradeSamples samples,
            BodyMasker masker,
            Predicate<SecurityContext> showsStates,
            Predicate<SecurityContext> showsBodies,
            Audit audit) {
        this.samples = samples;
        this.masker = masker;
        this.showsStates = showsStates;
        this.showsBodies = showsBodies;
        this.audit = audit;
    }

    @Override
    public Set<String> looksBy() {
        return Set.of("limit");
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (!path.isEmpty()) {
            return null;
        }
        int most = Asked.number("limit", asked.get("limit"), UpgradeSamples.DEFAULT, UpgradeSamples.MOST);
        if (!showsStates.test(user)) {
            return refused(STATES, user);
        }
        return showsBodies.test(user) ? taken(most, user) : refused(BODIES, user);
    }

    private Object taken(int most, SecurityContext user) {
        UpgradeSample sample = samples.take(most, masker);
        audit.tell(
                Asked.by(user),
                "LOOK",
                Map.of(
                        "content",
                        "sample",
                        "messages",
                        sample.messages().size(),
                        "states",
                        sample.states().size()));
        return Answers.json(sample.toJson());
    }

    private Object refused(String property, SecurityContext user) {
        String refusal =
                "User %s may not see what a sample is made of [%s]: bodies and states, although their values are masked. Set %s to when-authorized, with roles of this user, or to always, and restart; or ask somebody who may."
                        .formatted(Names.printable(Asked.by(user)), property, property);
        audit.tell(Asked.by(user), "REFUSED", Map.of("endpoint", "safebunny", "reason", Audit.text(refusal)));
        return Answers.forbidden(refusal);
    }
}
