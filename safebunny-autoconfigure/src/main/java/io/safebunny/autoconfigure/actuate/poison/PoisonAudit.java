// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.message.Names;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Audits operations on poison messages, and looks at their bodies. Thread-safe. */
final class PoisonAudit {

    /** A line of an audit is read at once. */
    private static final int MOST_IDS = 5;

    private final Audit audit;

    PoisonAudit(Audit audit) {
        this.audit = audit;
    }

    /** @param isDecrypted whether the body is encrypted in the queue, and was shown */
    void looked(String by, PoisonCopy copy, boolean isDecrypted) {
        audit.lookedAtBody(by, copy.message().messageId(), copy.message().digest(), isDecrypted);
    }

    void begun(PoisonOperation operation) {
        PoisonRequest request = operation.request();
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("operation", operation.id());
        data.put("filter", Audit.text(words(request.filter())));
        data.put("dryRun", request.dryRun());
        data.put("forced", request.forced());
        data.put("perSecond", request.perSecond());
        data.put("reason", Audit.text(request.reason()));
        audit.tell(operation.begunAt(), request.by(), operation.kind().name(), data);
    }

    private static String words(PoisonFilter filter) {
        Map<String, @Nullable String> wanted = new LinkedHashMap<>();
        wanted.put("message id", ids(filter.messageIds()));
        wanted.put("copy", filter.digest());
        wanted.put("type", filter.type());
        wanted.put("reason", filter.reason());
        wanted.put("exception", filter.exception());
        wanted.put("correlation id", filter.correlationId());
        wanted.put("verdict", filter.verdict() == null ? null : filter.verdict().name());
        String which = wanted.entrySet().stream()
                .filter(entry -> entry.getValue() != null)
                .map(entry -> entry.getKey()
                        + (String.valueOf(entry.getValue()).isEmpty() ? ": none" : " " + entry.getValue()))
                .collect(Collectors.joining(", "));
        return "%s; at most %s".formatted(which.isEmpty() ? "all" : which, filter.limit());
    }

    private static @Nullable String ids(Set<String> ids) {
        return ids.isEmpty()
                ? null
                : ids.size() > MOST_IDS ? "one of " + ids.size() : String.join(" or ", new TreeSet<>(ids));
    }

    void edited(PoisonEdit edit, PoisonOperation operation) {
        audit.tell(operation.begunAt(), operation.request().by(), "EDIT", about(edit, operation));
    }

    /** @param operation {@code null} if none was started */
    void notEdited(PoisonEdit edit, @Nullable PoisonOperation operation, RuntimeException failure) {
        Map<String, Object> data = about(edit, operation);
        data.put("failure", Audit.text(String.valueOf(failure.getMessage())));
        audit.tell(edit.by(), "EDIT_FAILED", data);
    }

    private static Map<String, Object> about(PoisonEdit edit, @Nullable PoisonOperation operation) {
        Map<String, Object> data = new LinkedHashMap<>();
        if (operation != null) {
            data.put("operation", operation.id());
        }
        data.put("messageId", Names.printable(edit.messageId()));
        data.put("copy", Names.printable(edit.digest()));
        data.put("reason", Audit.text(edit.reason()));
        return data;
    }
}
