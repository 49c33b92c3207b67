// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.poison.ElsewhereViews;
import io.safebunny.autoconfigure.actuate.poison.OperationViews;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.RunState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * The operations on poison messages: shows and cancels those that this instance began, and shows what the other instances say of theirs.
 * Thread-safe.
 */
final class OperationSection implements Section {

    private final PoisonMessages poison;
    private final Audit audit;
    private final String instance;
    private final Supplier<OtherInstances> known;

    /**
     * @param instance the one that runs them
     * @param known what the others have said lately; does not wait if they have
     */
    OperationSection(PoisonMessages poison, Audit audit, String instance, Supplier<OtherInstances> known) {
        this.poison = poison;
        this.known = known;
        this.audit = audit;
        this.instance = instance;
    }

    @Override
    public @Nullable Object look(List<String> path, Map<String, String> asked, SecurityContext user) {
        if (path.isEmpty()) {
            return all();
        }
        Optional<PoisonOperation> own = find(path);
        return own.isPresent() ? detailed(own.get()) : elsewhere(path);
    }

    private @Nullable Object elsewhere(List<String> path) {
        if (path.size() > 1) {
            return null;
        }
        OtherInstances others = poison.atOtherInstances();
        Map<String, Object> found = ElsewhereViews.find(others, path.get(0));
        return found != null ? found : missing(path.get(0), others);
    }

    /** Whoever has not answered may have it. */
    private static @Nullable Object missing(String id, OtherInstances others) {
        Map<String, String> silent = ElsewhereViews.silent(others);
        if (silent.isEmpty() && others.problem() == null) {
            return null;
        }
        String who = others.problem() != null
                ? "The other instances were not asked, or not heard (%s), so one of them may have it"
                        .formatted(others.problem())
                : "Of the other instances, %s did not say what it has: ask there"
                        .formatted(String.join(", ", silent.keySet()));
        return Answers.elsewhere(
                "This instance has no such operation [operation=%s]: it remembers the last 100 that it began. %s."
                        .formatted(Names.printable(id), who),
                Map.of("silent", silent));
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
        return found.isPresent() ? detailed(found.get()) : uncancelled(path);
    }

    /** What instances tell each other changes nothing, or whoever may write to the broker could cancel operations. */
    private @Nullable Object uncancelled(List<String> path) {
        Object elsewhere = elsewhere(path);
        return elsewhere instanceof Map<?, ?> operation
                ? Answers.conflict(
                        "Instance %s has begun operation %s, and only that one can end it: send this request there. Nothing that instances tell each other over the broker changes anything."
                                .formatted(operation.get("instance"), path.get(0)),
                        Map.of("instance", String.valueOf(operation.get("instance"))))
                : elsewhere;
    }

    /** All of this instance, latest first, without the copies that they did not move; and those that run at others. */
    private Map<String, Object> all() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("instance", instance);
        view.put(
                "operations", operations().stream().map(OperationViews::summary).toList());
        view.put("elsewhere", ElsewhereViews.running(known.get()));
        return view;
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
