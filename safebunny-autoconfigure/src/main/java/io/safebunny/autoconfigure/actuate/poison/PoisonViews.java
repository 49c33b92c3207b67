// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonList;
import io.safebunny.poison.PoisonedMessage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoint's view of poison messages. Thread-safe, if the masker is. */
final class PoisonViews {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonViews.class);

    private static final String TOO_LARGE = "not shown: it is too large, or the copies before it are";

    private final BodyMasker masker;

    PoisonViews(BodyMasker masker) {
        this.masker = masker;
    }

    static Map<String, Object> list(PoisonList list) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("depth", list.depth());
        view.put("scanned", list.scanned());
        view.put("truncated", list.truncated());
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

    /** @param shown whether the caller may see bodies and headers */
    Map<String, Object> copies(List<PoisonCopy> copies, boolean shown) {
        return Map.of("copies", copies.stream().map(copy -> copy(copy, shown)).toList());
    }

    private Map<String, Object> copy(PoisonCopy copy, boolean shown) {
        Map<String, Object> view = message(copy.message());
        view.put("record", copy.record());
        if (shown) {
            view.put("headers", copy.message().headers());
            view.put("body", masked(copy));
        }
        return view;
    }

    private String masked(PoisonCopy copy) {
        try {
            byte[] body = copy.body();
            return body == null ? TOO_LARGE : masker.mask(copy.message(), body);
        } catch (RuntimeException e) {
            LOG.warn(
                    "The BodyMasker failed, so the body of message {} is not shown",
                    copy.message(),
                    ExceptionDetails.TYPE_ONLY.logged(e));
            return "not shown: the BodyMasker failed with " + e.getClass().getName();
        }
    }
}
