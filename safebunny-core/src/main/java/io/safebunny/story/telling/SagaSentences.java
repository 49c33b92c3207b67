// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Awaited;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.Story.Command;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Says where one saga is, what it waits for and what helps it. */
final class SagaSentences {

    private final NodeStory part;
    private final Saga saga;
    private final Words words;

    SagaSentences(NodeStory part, Saga saga, Words words) {
        this.part = part;
        this.saga = saga;
        this.words = words;
    }

    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        sentences.add("%s %s of %s %s."
                .formatted(Words.text(saga.saga()), Words.text(saga.id()), Words.text(part.node()), status()));
        if (saga.status().isEnded()) {
            return sentences;
        }
        for (BlockedOn blocked : saga.blockedOn()) {
            sentences.add("%s has set %s aside (%s), and the saga is blocked on it."
                    .formatted(
                            Words.text(blocked.node()),
                            Words.message(blocked.type(), blocked.messageId()),
                            Words.text(blocked.reason())));
        }
        if (saga.status() == SagaStatus.ACTIVE) {
            addWaiting(sentences);
        }
        addPauses(sentences);
        addTimeouts(sentences);
        return sentences;
    }

    private String status() {
        String since = words.at(saga.changedAt());
        String reason = saga.reason() == null ? "" : " (" + Words.text(saga.reason()) + ')';
        return switch (saga.status()) {
            case ACTIVE -> "is active since " + words.at(saga.startedAt());
            case COMPLETED -> "completed at " + since;
            case FAILED -> "failed%s, and ended at %s%s".formatted(reason, since, undone());
            case COMPENSATING -> "failed%s and undoes its steps%s".formatted(reason, undoing(since));
            case STUCK ->
                "is stuck since %s, and takes no message until somebody repairs it%s".formatted(since, last());
            case COMPENSATION_FAILED ->
                "failed%s, and an undo was set aside%s. It is stuck since %s until somebody repairs it"
                        .formatted(reason, undoingStep(), since);
        };
    }

    private String undone() {
        long undone = saga.steps().stream()
                .filter(step -> step.status() == StepStatus.UNDONE)
                .count();
        return undone == 0 ? "" : ", with " + Words.count((int) undone, "step") + " undone";
    }

    private String undoing(String since) {
        for (Step step : saga.steps()) {
            if (step.status() == StepStatus.UNDOING) {
                return ". It has waited since %s for the acknowledgement of `%s`, the undo of step %s"
                        .formatted(since, Words.text(String.valueOf(step.undo())), Words.text(step.name()));
            }
        }
        return "";
    }

    private String undoingStep() {
        for (Step step : saga.steps()) {
            if (step.status() == StepStatus.UNDOING) {
                return ": `%s` of step %s".formatted(Words.text(String.valueOf(step.undo())), Words.text(step.name()));
            }
        }
        return "";
    }

    /** What its history says last. */
    private String last() {
        List<Event> history = saga.history();
        return history.isEmpty()
                ? ""
                : ". The last that happened to it: "
                        + Words.text(history.get(history.size() - 1).what());
    }

    private void addWaiting(List<String> sentences) {
        if (saga.awaited().isEmpty()) {
            sentences.add("All that it takes has come at least once; it last changed at %s."
                    .formatted(words.at(saga.changedAt())));
        } else {
            sentences.add("It has waited since %s for %s.".formatted(words.at(saga.changedAt()), awaited()));
        }
        List<Step> steps = saga.steps();
        if (!steps.isEmpty()) {
            Step last = steps.get(steps.size() - 1);
            sentences.add("Its latest step is %s: %s."
                    .formatted(Words.text(last.name()), Words.message(last.type(), last.messageId())));
        }
    }

    /** {@code `Captured` or `Declined` from billing}. */
    private String awaited() {
        Map<String, List<String>> types = new LinkedHashMap<>();
        for (Awaited awaited : saga.awaited()) {
            types.computeIfAbsent(Words.join(awaited.from(), "or"), from -> new ArrayList<>())
                    .add('`' + Words.text(awaited.type()) + '`');
        }
        List<String> parts = new ArrayList<>();
        types.forEach((from, names) ->
                parts.add(Words.join(names, "or") + (from.isEmpty() ? "" : " from " + Words.text(from))));
        return Words.join(parts, "or");
    }

    private void addPauses(List<String> sentences) {
        List<Pause> pauses = part.pauses().stream()
                .filter(pause -> Awaiting.isForSagas(pause.type())
                        || saga.awaited().stream()
                                .anyMatch(awaited -> awaited.type().equals(pause.type())))
                .toList();
        pauses.forEach(pause -> sentences.add(
                "`%s` is %s at %s.".formatted(Words.text(pause.type()), words.pause(pause), Words.text(part.node()))));
        if (pauses.isEmpty() && !saga.awaited().isEmpty()) {
            sentences.add(
                    saga.awaited().size() == 1
                            ? "This type is not paused at %s.".formatted(Words.text(part.node()))
                            : "None of these types is paused at %s.".formatted(Words.text(part.node())));
        }
    }

    private void addTimeouts(List<String> sentences) {
        for (Map.Entry<String, Instant> timeout : new TreeMap<>(saga.timeouts()).entrySet()) {
            sentences.add("Its timeout %s %s %s."
                    .formatted(
                            Words.text(timeout.getKey()),
                            words.isPast(timeout.getValue()) ? "has been due since" : "is due at",
                            words.at(timeout.getValue())));
        }
    }

    List<Command> next() {
        List<Command> next = new ArrayList<>();
        String path = "safebunny/sagas/" + Curl.encoded(saga.id());
        for (Pause pause : part.pauses()) {
            if (saga.awaited().stream().anyMatch(awaited -> awaited.type().equals(pause.type()))) {
                next.add(Resuming.of(part.node(), pause.type()));
            }
        }
        switch (saga.status()) {
            case STUCK -> next.add(repair("resume", "once the cause is mended: the saga takes messages again", path));
            case COMPENSATION_FAILED ->
                next.add(repair("retry", "once the cause is mended: the undo is sent again", path));
            case ACTIVE, COMPENSATING -> {
                if (!saga.blockedOn().isEmpty()) {
                    next.add(repair("retry", "once the cause is mended: what was set aside is sent again", path));
                }
                saga.awaited().stream()
                        .flatMap(awaited -> awaited.from().stream())
                        .filter(node -> !node.equals(part.node()))
                        .distinct()
                        .forEach(node -> next.add(Curl.get(
                                "is %s there, and does it handle its types?".formatted(Words.text(node)),
                                part.node(),
                                "safebunny/nodes/" + Curl.encoded(node))));
            }
            case COMPLETED, FAILED -> {}
        }
        next.add(Curl.get("the saga itself", part.node(), path));
        return next;
    }

    private Command repair(String action, String why, String path) {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("action", action);
        body.put("saga", saga.saga());
        body.put("reason", "mended");
        return Curl.post(why, part.node(), path, body);
    }
}
