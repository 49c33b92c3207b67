// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.message.Names;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonGroup;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Groups;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the endpoints show of operations on poison messages. Pure, but for {@link #awaitEnd}. */
public final class OperationViews {

    /** How long a response waits for an operation to end; enough for a few messages. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final int LONGEST = 250;

    private OperationViews() {}

    /** Whether it only counts all that there is: with a lower limit, a dry run is a sample. */
    static boolean isCount(PoisonOperation operation) {
        PoisonRequest request = operation.request();
        return request.dryRun() && request.filter().equals(PoisonFilter.all().withLimit(PoisonEndpoint.MOST_MOVED));
    }

    /** Without the copies that were not moved. */
    public static Map<String, Object> summary(PoisonOperation operation) {
        return summary(operation, operation.progress());
    }

    private static Map<String, Object> summary(PoisonOperation operation, Progress progress) {
        PoisonRequest request = operation.request();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("operation", operation.id());
        view.put("kind", operation.kind());
        view.put("state", progress.state());
        view.put("begunAt", operation.begunAt());
        view.put("endedAt", progress.endedAt());
        view.put("by", request.by());
        view.put("reason", request.reason());
        view.put("dryRun", request.dryRun());
        view.put("count", isCount(operation));
        view.put("filter", filter(request.filter()));
        view.put("limit", request.filter().limit());
        view.put("depth", progress.depth());
        view.put("scanned", progress.scanned());
        view.put("matched", progress.matched());
        if (request.dryRun()) {
            view.put("moved", 0);
            view.put("wouldMove", progress.moved());
        } else {
            view.put("moved", progress.moved());
        }
        view.put("verdicts", progress.verdicts());
        if (progress.missed() > 0) {
            view.put("missed", progress.missed());
        }
        if (progress.failure() != null) {
            view.put("failure", progress.failure());
        }
        if (progress.failureCode() != null) {
            view.put("code", progress.failureCode());
        }
        return view;
    }

    /** What is set of a filter, under the names of the parameters; of many message ids, how many there are. */
    private static Map<String, Object> filter(PoisonFilter filter) {
        Map<String, Object> view = new LinkedHashMap<>();
        if (filter.messageIds().size() > 1) {
            view.put("ids", filter.messageIds().size());
        } else {
            filter.messageIds().forEach(id -> add(view, "messageId", id));
        }
        add(view, "copy", filter.digest());
        add(view, "type", filter.type());
        add(view, "poisonReason", filter.reason());
        add(view, "exception", filter.exception());
        add(view, "correlation", filter.correlationId());
        add(view, "verdict", filter.verdict() == null ? null : filter.verdict().name());
        return view;
    }

    private static void add(Map<String, Object> view, String name, @Nullable String value) {
        if (value != null) {
            view.put(name, Names.printable(value, LONGEST));
        }
    }

    /**
     * What it has read, grouped: those groups that match.
     *
     * @param after how many groups are left out before the first one shown
     * @param most how many are shown
     */
    static Map<String, Object> groups(PoisonOperation operation, Predicate<PoisonGroup> matching, int after, int most) {
        Groups all = operation.groups();
        Map<String, Object> view = summary(operation); // not before: it may have gone on
        List<PoisonGroup> groups = all.groups().stream().filter(matching).toList();
        view.put("groups", groups.stream().skip(after).limit(most).toList());
        view.put("found", groups.size());
        view.put("copies", groups.stream().mapToInt(PoisonGroup::copies).sum());
        view.put("replayable", groups.stream().mapToInt(PoisonGroup::replayable).sum());
        view.put("others", all.others());
        view.put("forgotten", all.forgotten());
        return view;
    }

    /** Including the first copies that were not moved, with the reasons. */
    public static Map<String, Object> detailed(PoisonOperation operation) {
        Progress progress = operation.progress();
        Map<String, Object> view = summary(operation, progress);
        view.put(
                "refusals",
                progress.refusals().stream().map(PoisonViews::message).toList());
        if (operation.kind() == Kind.REPLAY && !operation.request().dryRun() && progress.moved() > 0) {
            view.put("note", handledLater(operation.request().filter().messageIds()));
        }
        return view;
    }

    /** The same for whoever has begun it, and may take what it has done until now for all. */
    static Map<String, Object> begun(PoisonOperation operation) {
        Map<String, Object> view = detailed(operation);
        if (view.get("state") == RunState.RUNNING) {
            String goesOn =
                    "It has not ended yet: the numbers are those of now, and it goes on by itself. GET safebunnypoison?operation=%s tells how far it is."
                            .formatted(operation.id());
            Object note = view.get("note");
            view.put("note", note == null ? goesOn : goesOn + ' ' + note);
        }
        return view;
    }

    /** What {@code moved} does not say. */
    private static String handledLater(Set<String> ids) {
        String where = ids.size() == 1
                ? "GET safebunnystory?about=%s&format=text tells what has come of it"
                        .formatted(URLEncoder.encode(ids.iterator().next(), StandardCharsets.UTF_8))
                : "GET safebunnypoison lists what was set aside again, and GET safebunnystory?about=ID&format=text tells what has come of one message";
        return "moved counts what was sent back to its queue. It is handled after that, and what fails again is set aside again. %s."
                .formatted(where);
    }

    /** Waits a moment for the operation to end. */
    public static void awaitEnd(PoisonOperation operation) {
        awaitEnd(operation, PATIENCE);
    }

    static void awaitEnd(PoisonOperation operation, Duration patience) {
        try {
            operation.await(patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // go on: the operation still runs, and the caller needs its id
        }
    }
}
