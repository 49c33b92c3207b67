// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.encryption.BunnySubjects;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.Erasure;
import io.safebunny.failure.MisuseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * The persons whom encrypted bodies are about: erases one. Takes the person from the body of a request alone, so that no access log has them,
 * and tells the audit their keyed hash. Thread-safe.
 */
final class SubjectSection implements Section {

    private static final String ERASE = "erase";
    private static final Set<String> ERASURE = Set.of("action", "subject", "dryRun", "reason");

    private static final String NOTE =
            "To erase a person, POST safebunny/subjects {\"action\":\"erase\",\"subject\":\"PERSON\",\"dryRun\":true,\"reason\":\"REASON\"}, then the same without dryRun.";

    private static final String OFF =
            "This node has no keys of persons. It needs safebunny-crypto with keys, and a place for them: safebunny-jdbc with a DataSource, or a SubjectKeys bean. See docs/erasure.md";

    private final @Nullable BunnySubjects subjects;
    private final Audit audit;

    /** @param subjects {@code null} if there are no keys of persons */
    SubjectSection(@Nullable BunnySubjects subjects, Audit audit) {
        this.subjects = subjects;
        this.audit = audit;
    }

    @Override
    public Set<String> changesBy() {
        return ERASURE;
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (!path.isEmpty()) {
            return null;
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("present", subjects != null);
        view.put("note", subjects == null ? OFF : NOTE);
        return view;
    }

    @Override
    public @Nullable Object change(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (!path.isEmpty()) {
            return null;
        }
        if (subjects == null) {
            throw new MisuseException(MisuseException.NOT_RUNNING, OFF);
        }
        String unused = Asked.oneOf("action", asked.get("action"), List.of(ERASE));
        String subject = person(asked.get("subject"));
        String reason = Asked.reason(asked.get("reason"));
        boolean isDryRun = Asked.flag("dryRun", asked.get("dryRun"));
        Erasure found = isDryRun ? subjects.find(subject) : subjects.erase(subject);
        if (!isDryRun) {
            audit.tell(
                    Asked.by(user),
                    "ERASE",
                    Map.of("subject", found.subject(), "hadKey", found.hadKey(), "reason", Audit.text(reason)));
        }
        return shown(found, isDryRun);
    }

    /** No refusal repeats it. */
    private static String person(@Nullable String given) {
        if (given == null || given.isBlank() || given.length() > Encrypted.LONGEST_SUBJECT) {
            throw Asked.wrong(
                    "subject",
                    given == null ? null : "given",
                    "it must name the person as the property of the messages does, with 1 to %s characters, and not only spaces"
                            .formatted(Encrypted.LONGEST_SUBJECT));
        }
        return given;
    }

    private static Map<String, Object> shown(Erasure found, boolean isDryRun) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("dryRun", isDryRun);
        view.put("subject", found.subject());
        view.put("hadKey", found.hadKey());
        view.put("erasedAt", found.erasedAt());
        view.put("holdsFrom", found.holdsFrom());
        return view;
    }
}
