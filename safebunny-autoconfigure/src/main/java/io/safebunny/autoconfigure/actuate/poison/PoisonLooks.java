// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.Content;
import io.safebunny.failure.MisuseException;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonMessages;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** Shows bodies and headers to those who may see them, and audits it. Thread-safe, if the masker is. */
final class PoisonLooks {

    /** Maximum bytes of bodies in one response. */
    private static final long MOST_BYTES = 4L << 20;

    private final PoisonMessages poison;
    private final PoisonEndpointProperties properties;
    private final PoisonAudit audit;
    private final PoisonViews views;
    private final boolean masks;

    /** @param masker {@code null} for none */
    PoisonLooks(
            PoisonMessages poison,
            @Nullable BodyMasker masker,
            PoisonEndpointProperties properties,
            PoisonAudit audit) {
        this.poison = poison;
        this.properties = properties;
        this.audit = audit;
        this.views = new PoisonViews(Objects.requireNonNullElseGet(masker, BodyMasker::none));
        this.masks = masker != null;
    }

    /**
     * The copies of a message; {@code null} if there are none.
     *
     * @param content {@code false} to leave out bodies and headers, even for those who may see them
     */
    @Nullable
    Map<String, Object> at(String id, SecurityContext user, @Nullable String content) {
        boolean shown = Asked.flag("content", content, true) && properties.showsBodies(user);
        List<PoisonCopy> copies = poison.find(id, shown ? MOST_BYTES : 0);
        if (copies.isEmpty()) {
            return null;
        }
        return shown ? views.copies(copies, copy -> audit.looked(Asked.by(user), copy)) : PoisonViews.copies(copies);
    }

    /**
     * Refuses an edit that has in its body what the mask shows this user instead of a value. Asks for the copy only if there is a mask.
     *
     * @throws MisuseException SB-5001
     */
    void requireNoMask(PoisonEdit edit, SecurityContext user) {
        String body = new String(edit.body(), StandardCharsets.UTF_8);
        Content.requireNoSentence("body", body);
        if (masks && properties.showsBodies(user)) {
            poison.find(edit.messageId(), MOST_BYTES).stream()
                    .filter(copy -> copy.message().digest().equals(edit.digest()))
                    .limit(1)
                    .forEach(copy -> requireNoMask(copy, body));
        }
    }

    private void requireNoMask(PoisonCopy copy, String body) {
        byte[] stored = copy.body();
        if (stored != null) {
            views.body(copy).requireNoMask("body", stored, body);
        }
    }
}
