// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.OtherInstances.Operation;
import io.safebunny.poison.OtherInstances.OtherInstance;
import io.safebunny.poison.PoisonOperation.RunState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the endpoints show of operations on poison messages of other instances. Pure. */
public final class ElsewhereViews {

    private ElsewhereViews() {}

    /** Those that run, and which instances have not said whether one does. */
    public static Map<String, Object> running(OtherInstances others) {
        return begun(others, operation -> operation.state() == RunState.RUNNING);
    }

    /** Those of the last ten of each instance that match, and which instances have not said theirs. */
    public static Map<String, Object> begun(OtherInstances others, Predicate<Operation> which) {
        List<Map<String, Object>> matching = new ArrayList<>();
        for (OtherInstance instance : others.instances()) {
            instance.operations().stream()
                    .filter(which)
                    .map(operation -> view(instance, operation))
                    .forEach(matching::add);
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("asOf", others.asOf());
        view.put("problem", others.problem());
        view.put(
                "instances",
                others.instances().stream().map(OtherInstance::instance).toList());
        view.put("operations", matching);
        view.put("silent", silent(others));
        return view;
    }

    /** Why nobody knows the operations of some instances, by instance. */
    public static Map<String, String> silent(OtherInstances others) {
        Map<String, String> silent = new LinkedHashMap<>();
        others.instances().forEach(instance -> {
            if (instance.silence() != null) {
                silent.put(instance.instance(), instance.silence());
            }
        });
        return silent;
    }

    /**
     * One that runs or has ended lately.
     *
     * @return {@code null} if nobody has it
     */
    public static @Nullable Map<String, Object> find(OtherInstances others, String id) {
        for (OtherInstance instance : others.instances()) {
            for (Operation operation : instance.operations()) {
                if (operation.id().equals(id)) {
                    Map<String, Object> view = view(instance, operation);
                    view.put("elsewhere", true);
                    view.put("asOf", others.asOf());
                    view.put("note", note(instance, operation));
                    return view;
                }
            }
        }
        return null;
    }

    private static String note(OtherInstance instance, Operation operation) {
        String only = operation.state() == RunState.RUNNING
                ? "who began it and why, its filter and what it did not move. Only there can it be stopped, with DELETE operations/%s."
                        .formatted(operation.id())
                : "who began it and why, its filter and what it did not move.";
        return "Instance %s has begun it, and only that one tells %s".formatted(instance.instance(), only);
    }

    private static Map<String, Object> view(OtherInstance instance, Operation operation) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("instance", instance.instance());
        view.put("operation", operation.id());
        view.put("kind", operation.kind());
        view.put("state", operation.state());
        view.put("dryRun", operation.dryRun());
        view.put("begunAt", operation.begunAt());
        view.put("depth", operation.depth());
        view.put("scanned", operation.scanned());
        view.put("matched", operation.matched());
        if (operation.dryRun()) {
            view.put("moved", 0);
            view.put("wouldMove", operation.moved());
        } else {
            view.put("moved", operation.moved());
        }
        view.put("held", operation.held());
        return view;
    }
}
