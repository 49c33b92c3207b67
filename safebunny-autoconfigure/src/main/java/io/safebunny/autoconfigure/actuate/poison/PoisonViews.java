// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.http.Content;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonList;
import io.safebunny.poison.PoisonedMessage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoint's view of poison messages. Thread-safe, if the masker is. */
final class PoisonViews {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonViews.class);

    private static final String TOO_LARGE = "it is too large, or the copies before it are";

    private static final String ENCRYPTED =
            "it is encrypted, and you have none of the roles in management.endpoint.safebunnypoison.decrypt-roles";

    private static final String ELSEWHERE = "it is kept in a body store, and could not be fetched or read";

    private static final String NO_TEXT =
            "it is no text, and its format cannot be shown as JSON here; a BodyMasker can make text of it";

    private final BodyMasker masker;

    PoisonViews(BodyMasker masker) {
        this.masker = masker;
    }

    /** @param limit how many matching copies are looked for */
    static Map<String, Object> list(PoisonList list, int limit) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("depth", list.depth());
        view.put("scanned", list.scanned());
        view.put("truncated", list.truncated());
        view.put("limit", limit);
        view.put("groups", list.groups());
        view.put("messages", list.messages().stream().map(PoisonViews::message).toList());
        return view;
    }

    /** Omits the application's headers: like the body, they are the message's content. */
    static Map<String, Object> message(PoisonedMessage message) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("messageId", message.messageId());
        view.put("correlationId", message.correlationId());
        view.put("type", message.type());
        view.put("copy", message.digest());
        view.put("reason", message.reason());
        view.put("queue", message.queue());
        view.put("poisonedAt", message.poisonedAt());
        view.put("exception", message.exceptionType());
        view.put("exceptionMessage", message.exceptionMessage());
        view.put("bodyBytes", message.bodyBytes());
        view.put("verdict", message.verdict());
        view.put("explanation", message.explanation());
        return view;
    }

    /** Without bodies and headers. */
    static Map<String, Object> copies(List<PoisonCopy> copies) {
        return Map.of("copies", copies.stream().map(PoisonViews::withoutContent).toList());
    }

    private static Map<String, Object> withoutContent(PoisonCopy copy) {
        Map<String, Object> view = copy(copy);
        Content.addNone(view);
        return view;
    }

    private static Map<String, Object> copy(PoisonCopy copy) {
        Map<String, Object> view = message(copy.message());
        view.put("record", copy.record());
        return view;
    }

    /**
     * With bodies and headers.
     *
     * @param isKept whether the body of a message stays hidden, because it is encrypted
     * @param seen is told each copy of which something is shown
     */
    Map<String, Object> copies(List<PoisonCopy> copies, Predicate<PoisonedMessage> isKept, Consumer<PoisonCopy> seen) {
        return Map.of(
                "copies",
                copies.stream().map(copy -> withContent(copy, isKept, seen)).toList());
    }

    private Map<String, Object> withContent(
            PoisonCopy copy, Predicate<PoisonedMessage> isKept, Consumer<PoisonCopy> seen) {
        Map<String, Object> headers = headers(copy);
        Content body = isKept.test(copy.message()) ? Content.notShown(ENCRYPTED) : body(copy);
        if (body.shown() || !headers.isEmpty()) {
            seen.accept(copy);
        }
        Map<String, Object> view = copy(copy);
        view.put("headers", headers);
        body.addTo(view, "body");
        return view;
    }

    private Map<String, Object> headers(PoisonCopy copy) {
        try {
            return masker.maskHeaders(copy.message());
        } catch (RuntimeException e) {
            warn("headers", copy, e);
            return Map.of();
        }
    }

    Content body(PoisonCopy copy) {
        byte[] body = copy.body();
        if (body == null) {
            return Content.notShown(TOO_LARGE);
        }
        if (body.length == 0 && copy.message().bodyBytes() > 0) {
            return Content.notShown(ELSEWHERE);
        }
        try {
            String masked = masker.mask(copy.message(), body);
            return isNoText(masked, body) ? Content.notShown(NO_TEXT) : Content.of(masked, body);
        } catch (RuntimeException e) {
            warn("body", copy, e);
            return Content.notShown("the BodyMasker failed with " + e.getClass().getName());
        }
    }

    /** Whether it is only shown as text, without being text. */
    private static boolean isNoText(String shown, byte[] body) {
        return shown.equals(new String(body, StandardCharsets.UTF_8))
                && !Arrays.equals(shown.getBytes(StandardCharsets.UTF_8), body);
    }

    private static void warn(String what, PoisonCopy copy, RuntimeException failure) {
        LOG.warn(
                "The BodyMasker failed, so the {} of message {} is not shown",
                what,
                copy.message(),
                ExceptionDetails.TYPE_ONLY.logged(failure));
    }
}
