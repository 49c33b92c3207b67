// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.keys.KeyLook;
import io.safebunny.keys.KeyLook.Looked;
import io.safebunny.keys.KeyVerdict;
import io.safebunny.keys.KeysInUse;
import io.safebunny.keys.Place;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** Which keys of encrypted bodies the node still needs, and whether one can be removed. Shows ids of keys alone. Thread-safe. */
final class KeySection implements Section {

    private static final String KEY = "key";
    private static final String UNSENT_SINCE = "unsentSince";
    private static final String LOOK = "look";

    private static final String BEGIN =
            "Nothing was looked at since this instance started: POST safebunny/keys {\"action\":\"look\",\"reason\":\"REASON\"}, then ask again.";
    private static final String RUNNING = "The look is still running: ask again later.";
    private static final String ASK =
            "GET safebunny/keys?key=KEY&unsentSince=TIME tells whether a key can be removed. See docs/encryption.md";

    private final KeysInUse keys;
    private final Audit audit;

    KeySection(KeysInUse keys, Audit audit) {
        this.keys = keys;
        this.audit = audit;
    }

    @Override
    public Set<String> looksBy() {
        return Set.of(KEY, UNSENT_SINCE);
    }

    @Override
    public Set<String> changesBy() {
        return Set.of("action", "reason");
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (!path.isEmpty()) {
            return null;
        }
        Map<String, Object> view = shown(keys.latest());
        String key = asked.get(KEY);
        Instant unsentSince = time(asked.get(UNSENT_SINCE));
        if (key != null) {
            view.put(KEY, shown(keys.verdict(key, unsentSince)));
        }
        return view;
    }

    @Override
    public @Nullable Object change(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (!path.isEmpty()) {
            return null;
        }
        String unused = Asked.oneOf("action", asked.get("action"), List.of(LOOK));
        String reason = Asked.reason(asked.get("reason"));
        KeyLook begun = keys.begin();
        audit.tell(Asked.by(user), "KEYS", Map.of("action", LOOK, "reason", Audit.text(reason)));
        return shown(begun);
    }

    private static @Nullable Instant time(@Nullable String given) {
        try {
            return given == null ? null : Instant.parse(given);
        } catch (DateTimeParseException e) {
            throw Asked.wrong(UNSENT_SINCE, given, "it must be a time such as 2026-05-03T08:00:00Z");
        }
    }

    private Map<String, Object> shown(@Nullable KeyLook look) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("encryptsWith", keys.encryptsWith());
        view.put("begunAt", look == null ? null : look.begunAt());
        view.put("endedAt", look == null ? null : look.endedAt());
        Map<String, Object> found = new TreeMap<>();
        if (look != null) {
            look.found().forEach((key, places) -> found.put(key, inWords(places)));
        }
        view.put("keys", found);
        view.put(
                "places",
                look == null
                        ? List.of()
                        : look.places().stream().map(KeySection::shown).toList());
        view.put("note", look == null ? BEGIN : look.endedAt() == null ? RUNNING : ASK);
        return view;
    }

    private static Map<String, Object> shown(Looked looked) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("place", looked.place().words());
        view.put("looked", looked.count());
        view.put("incomplete", looked.incomplete());
        return view;
    }

    private static Map<String, Object> shown(KeyVerdict verdict) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put(KEY, verdict.key());
        view.put("removable", verdict.removable());
        view.put("usedAt", inWords(verdict.usedAt()));
        view.put("unknown", verdict.unknown());
        view.put("sentence", verdict.sentence());
        return view;
    }

    private static Map<String, Long> inWords(Map<Place, Long> places) {
        Map<String, Long> named = new LinkedHashMap<>();
        new TreeMap<>(places).forEach((place, count) -> named.put(place.words(), count));
        return named;
    }
}
