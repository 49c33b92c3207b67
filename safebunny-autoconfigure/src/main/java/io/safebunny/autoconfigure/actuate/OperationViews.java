// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.failure.MisuseException;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The endpoints' view of operations on poison messages. Thread-safe. */
final class OperationViews {

    private final PoisonMessages poison;

    OperationViews(PoisonMessages poison) {
        this.poison = poison;
    }

    /** All operations, latest first, without the copies that they did not move. */
    Map<String, Object> all() {
        return Map.of(
                "operations",
                operations().stream()
                        .map(operation -> summary(operation, operation.progress()))
                        .toList());
    }

    @Nullable
    PoisonOperation find(String id) {
        return operations().stream()
                .filter(operation -> operation.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    private List<PoisonOperation> operations() {
        try {
            return poison.operations();
        } catch (MisuseException e) { // a node without handlers has no poison queue
            return List.of();
        }
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

    /** One operation, including the first copies that were not moved, with the reasons. */
    static Map<String, Object> detailed(PoisonOperation operation) {
        Progress progress = operation.progress();
        Map<String, Object> view = summary(operation, progress);
        view.put(
                "refusals",
                progress.refusals().stream().map(PoisonViews::message).toList());
        return view;
    }
}
