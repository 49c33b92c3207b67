// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.Content;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonedMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
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
    private final Predicate<PoisonedMessage> isEncrypted;

    /**
     * @param masker {@code null} for none
     * @param isEncrypted whether the body of a message is encrypted in the queue
     */
    PoisonLooks(
            PoisonMessages poison,
            @Nullable BodyMasker masker,
            PoisonEndpointProperties properties,
            Predicate<PoisonedMessage> isEncrypted,
            PoisonAudit audit) {
        this.poison = poison;
        this.properties = properties;
        this.audit = audit;
        this.isEncrypted = isEncrypted;
        this.views = new PoisonViews(Objects.requireNonNullElseGet(masker, BodyMasker::none));
        this.masks = masker != null;
    }

    /**
     * The copies of a message, or a problem that says that they are in the archive; {@code null} if there are none.
     *
     * @param content {@code false} to leave out bodies and headers, even for those who may see them
     */
    @Nullable
    Object at(String id, SecurityContext user, @Nullable String content) {
        boolean shown = Asked.flag("content", content, true) && properties.showsBodies(user);
        List<PoisonCopy> copies = poison.find(id, shown ? MOST_BYTES : 0);
        if (copies.isEmpty()) {
            return archived(id);
        }
        boolean decrypts = properties.decrypts(user);
        return shown
                ? views.copies(
                        copies,
                        message -> !decrypts && isEncrypted.test(message),
                        copy -> audit.looked(Asked.by(user), copy, decrypts && isEncrypted.test(copy.message())))
                : PoisonViews.copies(copies);
    }

    /** A problem that says that the message is in the archive; {@code null} if it is not. */
    @Nullable
    Object archived(String id) {
        List<PoisonedMessage> found;
        try {
            found = poison.archived(PoisonFilter.all().withMessageId(id).withLimit(1))
                    .messages();
        } catch (BrowsingException e) { // whether it is there is not what was asked for
            return null;
        }
        return found.isEmpty()
                ? null
                : Answers.elsewhere(
                        "The message was discarded, and is in the archive [id=%s]. Look at it with GET safebunnypoison?archived=true, and move it back with the action restore."
                                .formatted(Names.printable(id)),
                        Map.of(
                                "archived",
                                true,
                                "correlationId",
                                Objects.requireNonNullElse(found.get(0).correlationId(), "")));
    }

    /**
     * Refuses an edit that has in its body what the mask shows this user instead of a value. Asks for the copy only if there is a mask; then
     * an edit is refused, too, if nobody can tell what the mask shows, because the copy or its body cannot be had.
     *
     * @throws MisuseException SB-5001, or SB-5017 if the copy is not there
     */
    void requireNoMask(PoisonEdit edit, SecurityContext user) {
        String body = new String(edit.body(), StandardCharsets.UTF_8);
        Content.requireNoSentence("body", body);
        if (masks && properties.showsBodies(user)) {
            PoisonCopy edited = poison.find(edit.messageId(), MOST_BYTES).stream()
                    .filter(copy -> copy.message().digest().equals(edit.digest()))
                    .findFirst()
                    .orElseThrow(() -> notThere(edit));
            requireNoMask(edited, body);
        }
    }

    private void requireNoMask(PoisonCopy copy, String body) {
        views.body(copy).requireNoMask("body", copy.body(), body);
    }

    private static MisuseException notThere(PoisonEdit edit) {
        return new MisuseException(
                MisuseException.COPY,
                "The copy cannot be compared with its mask [id=%s, copy=%s]: it is not in the poison queue now. Nothing was changed. If another request is reading or moving it, try again."
                        .formatted(Names.printable(edit.messageId()), Names.printable(edit.digest())));
    }
}
