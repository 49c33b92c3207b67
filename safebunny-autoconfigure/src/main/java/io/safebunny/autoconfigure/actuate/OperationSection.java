// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.failure.MisuseException;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** The operations on poison messages that this instance started: shows and cancels them. Thread-safe. */
final class OperationSection implements Section {

    private final PoisonMessages poison;
    private final Audit audit;

    OperationSection(PoisonMessages poison, Audit audit) {
        this.poison = poison;
        this.audit = audit;
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        return path.isEmpty()
                ? all()
                : find(path).map(OperationSection::detailed).orElse(null);
    }

    /** Cancels an operation before its next message. */
    @Override
    public @Nullable Object cancel(List<String> path, SecurityContext user) {
        Optional<PoisonOperation> found = find(path);
        found.filter(operation -> operation.progress().state() == RunState.RUNNING)
                .ifPresent(operation -> {
                    operation.cancel();
                    audit.cancelled(operation, Asked.by(user));
                    PoisonChanges.awaitEnd(operation);
                });
        return found.map(OperationSection::detailed).orElse(null);
    }

    /** All operations, latest first, without the copies that they did not move. */
    private Map<String, Object> all() {
        return Map.of(
                "operations",
                operations().stream()
                        .map(operation -> summary(operation, operation.progress()))
                        .toList());
    }

    private Optional<PoisonOperation> find(List<String> path) {
        return operations().stream()
                .filter(operation -> path.equals(List.of(operation.id())))
                .findFirst();
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
