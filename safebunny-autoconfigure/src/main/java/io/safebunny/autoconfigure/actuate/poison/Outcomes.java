// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.failure.MisuseException;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.OtherInstances.Operation;
import io.safebunny.poison.OtherInstances.OtherInstance;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What came of operations on poison messages, for the audit: of those of this instance, and of those of others as they say. Asks the others
 * only if an operation is not known here. For one answer, on one thread.
 */
public final class Outcomes {

    private final Map<String, PoisonOperation> own;
    private final Supplier<OtherInstances> others;
    private @Nullable OtherInstances told;

    public Outcomes(PoisonMessages poison, Supplier<OtherInstances> others) {
        this.own = operations(poison);
        this.others = others;
    }

    private static Map<String, PoisonOperation> operations(PoisonMessages poison) {
        try {
            return poison.operations().stream().collect(Collectors.toMap(PoisonOperation::id, Function.identity()));
        } catch (MisuseException e) { // a node without handlers has no poison queue
            return Map.of();
        }
    }

    /**
     * Adds what is known. The figures of an operation are not those of its cancellation, nor of one of its messages.
     *
     * @param moves whether the action is to move messages
     */
    public void add(Map<String, Object> view, String action, String id, boolean moves) {
        PoisonOperation operation = own.get(id);
        if (operation != null) {
            Progress progress = operation.progress();
            if (action.equals(operation.kind().name())) {
                view.put("result", progress.state());
            }
            if (moves) {
                view.put("detail", moved(operation.request().dryRun(), progress.moved(), progress.matched()));
            }
            view.put("operation", id);
        } else if (moves) {
            addOfOthers(view, action, id);
        }
    }

    private void addOfOthers(Map<String, Object> view, String action, String id) {
        OtherInstances known = told;
        if (known == null) {
            known = others.get();
            told = known;
        }
        for (OtherInstance instance : known.instances()) {
            for (Operation operation : instance.operations()) {
                if (operation.id().equals(id) && operation.kind().name().equals(action)) {
                    view.put("result", operation.state());
                    view.put(
                            "detail",
                            "%s, as instance %s says"
                                    .formatted(
                                            moved(operation.dryRun(), operation.moved(), operation.matched()),
                                            instance.instance()));
                    view.put("operation", id);
                }
            }
        }
    }

    private static String moved(boolean dryRun, int moved, int matched) {
        return "%s %s of %s".formatted(dryRun ? "would have moved" : "moved", moved, matched);
    }
}
