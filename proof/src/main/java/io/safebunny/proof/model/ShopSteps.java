// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import static io.safebunny.proof.model.DeviationException.require;

import io.safebunny.proof.model.saga.ShopSaga;
import io.safebunny.saga.SagaView.StepStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The steps of one {@link ShopSaga}: sent, answered, undone. Confined to one thread. */
final class ShopSteps {

    static final class Step {
        final String command;
        final String undo;
        StepStatus status = StepStatus.SENT;
        String commandId = "";
        String undoId = "";
        /** When its participant published what the saga took; 0 before that. In milliseconds since the epoch. */
        long answeredAt;

        private Step(String command, String undo) {
            this.command = command;
            this.undo = undo;
        }
    }

    private final Map<String, Step> steps = new LinkedHashMap<>();

    /** In the order in which they were sent. */
    Collection<Step> all() {
        return steps.values();
    }

    @Nullable
    Step get(String name) {
        return steps.get(name);
    }

    /** The status of a step; {@code null} when there is none, or it was forgotten. */
    @Nullable
    StepStatus status(String name) {
        Step step = steps.get(name);
        return step == null ? null : step.status;
    }

    void send(String name, String command, String undo, List<String> published) {
        require(!steps.containsKey(name), "step %s was sent twice", name);
        steps.put(name, new Step(command, undo));
        published.add(command);
    }

    void forget(String name) {
        steps.remove(name);
    }

    void answered(String commandId, long at) {
        steps.values().stream()
                .filter(step -> step.commandId.equals(commandId))
                .forEach(step -> step.answeredAt = Math.max(step.answeredAt, at));
    }

    /**
     * Undoes the last one first, one at a time.
     *
     * @return whether an undo is under way
     */
    boolean undoNext(List<String> published) {
        List<Step> sent = new ArrayList<>(steps.values());
        for (int i = sent.size() - 1; i >= 0; i--) {
            Step step = sent.get(i);
            if (step.status == StepStatus.UNDOING) {
                return true;
            }
            if (step.status == StepStatus.SENT) {
                step.status = StepStatus.UNDOING;
                published.add(step.undo);
                return true;
            }
        }
        return false;
    }

    /** Learns an id that the engine gave to a message of this type. */
    void learn(String type, String id) {
        for (Step step : steps.values()) {
            if (step.command.equals(type)) {
                require(step.commandId.isEmpty() || step.commandId.equals(id), "another command %s", type);
                step.commandId = id;
            }
            if (step.undo.equals(type)) {
                require(step.undoId.isEmpty() || step.undoId.equals(id), "another undo %s", type);
                step.undoId = id;
            }
        }
    }

    /** What {@link #toString} would say of the stored steps. */
    static String written(JsonNode steps) {
        List<String> all = new ArrayList<>();
        steps.forEach(step -> all.add(
                step.path("name").asString("") + ' ' + step.path("status").asString("")));
        return all.toString();
    }

    @Override
    public String toString() {
        List<String> all = new ArrayList<>();
        steps.forEach((name, step) -> all.add(name + ' ' + step.status));
        return all.toString();
    }
}
