// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the endpoints show of operations on poison messages. Pure, but for {@link #awaitEnd}. */
public final class OperationViews {

    /** How long a response waits for an operation to end; enough for a few messages. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private OperationViews() {}

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
        view.put("by", request.by());
        view.put("reason", request.reason());
        view.put("dryRun", request.dryRun());
        view.put("limit", request.filter().limit());
        view.put("matched", progress.matched());
        view.put("moved", progress.moved());
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

    /** Including the first copies that were not moved, with the reasons. */
    public static Map<String, Object> detailed(PoisonOperation operation) {
        Progress progress = operation.progress();
        Map<String, Object> view = summary(operation, progress);
        view.put(
                "refusals",
                progress.refusals().stream().map(PoisonViews::message).toList());
        return view;
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
