// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.poison.OperationViews;
import io.safebunny.failure.MisuseException;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.RunState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** The operations on poison messages that this instance started: shows and cancels them. Thread-safe. */
final class OperationSection implements Section {

    private final PoisonMessages poison;
    private final Audit audit;
    private final String instance;

    /** @param instance the one that runs them */
    OperationSection(PoisonMessages poison, Audit audit, String instance) {
        this.poison = poison;
        this.audit = audit;
        this.instance = instance;
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        return path.isEmpty() ? all() : find(path).map(this::detailed).orElse(null);
    }

    private Map<String, Object> detailed(PoisonOperation operation) {
        Map<String, Object> view = OperationViews.detailed(operation);
        view.put("instance", instance);
        return view;
    }

    /** Cancels an operation before its next message. */
    @Override
    public @Nullable Object cancel(List<String> path, SecurityContext user) {
        Optional<PoisonOperation> found = find(path);
        found.filter(operation -> operation.progress().state() == RunState.RUNNING)
                .ifPresent(operation -> {
                    operation.cancel();
                    audit.tell(Asked.by(user), "CANCEL", Map.of("operation", operation.id()));
                    OperationViews.awaitEnd(operation);
                });
        return found.map(this::detailed).orElse(null);
    }

    /** All operations, latest first, without the copies that they did not move. */
    private Map<String, Object> all() {
        return Map.of(
                "instance",
                instance,
                "operations",
                operations().stream().map(OperationViews::summary).toList());
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
}
