// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaHistory.Failed;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Repaired;
import io.safebunny.saga.document.SagaHistory.SentStep;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.saga.document.SagaHistory.TimedOut;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.exchange.OwnMessages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says of one saga what its history tells of how it came to where it is: how often it was repaired, and what let its timeout run out. */
final class PastSentences {

    private final NodeStory part;
    private final Saga saga;
    private final Words words;
    private final Receivers receivers;

    PastSentences(NodeStory part, Saga saga, Words words, Receivers receivers) {
        this.part = part;
        this.saga = saga;
        this.words = words;
        this.receivers = receivers;
    }

    /** Whether the saga has heard then that the message was set aside. */
    static boolean isAbout(Event event, BlockedOn blocked) {
        return Happening.of(event) instanceof SetAside aside
                && aside.message().messageId().equals(blocked.messageId())
                && aside.message().node().equals(blocked.node());
    }

    // ---- repairs

    /** At most one sentence. */
    List<String> repairs() {
        Map<Action, List<Event>> repairs = new LinkedHashMap<>();
        for (Event event : saga.history()) {
            if (Happening.of(event) instanceof Repaired repaired) {
                repairs.computeIfAbsent(repaired.action(), action -> new ArrayList<>())
                        .add(event);
            }
        }
        if (repairs.isEmpty()) {
            return List.of();
        }
        List<String> all = new ArrayList<>();
        repairs.forEach((action, events) -> all.add(repaired(action, events)));
        return List.of("By hand, somebody has %s%s."
                .formatted(
                        Words.join(all, "and"), wasSetAsideAgain() ? ". What was sent again was set aside again" : ""));
    }

    private String repaired(Action action, List<Event> events) {
        String verb =
                switch (action) {
                    case RETRY -> "retried it";
                    case SKIP -> "skipped a step of it";
                    case FAIL -> "made it fail";
                    case RESUME -> "resumed it";
                    case PATCH -> "changed its state";
                };
        Event last = events.get(events.size() - 1);
        return "%s %s%s, %s %s"
                .formatted(
                        verb,
                        OwnMessages.isHistoryWhole(saga) ? "" : "at least ",
                        Words.times(events.size()),
                        events.size() == 1 ? "at" : "last at",
                        when(last));
    }

    /** And by whom and why, as far as that is told. */
    private String when(Event repair) {
        String reason = Happening.of(repair) instanceof Repaired repaired ? repaired.reason() : null;
        String withheld = receivers.withheld(part);
        return words.at(repair.at())
                + (repair.by() == null ? "" : " by " + Words.text(repair.by()))
                + (reason != null
                        ? " (" + Words.quoted(reason) + ')'
                        : withheld.isEmpty() ? "" : " (%s who and why)".formatted(withheld));
    }

    /** Whether something that somebody had retried is set aside now as before. */
    boolean wasSetAsideAgain() {
        return saga.blockedOn().stream().anyMatch(this::wasSetAsideAgain);
    }

    private boolean wasSetAsideAgain(BlockedOn blocked) {
        int seen = 0; // set aside, retried, set aside
        for (Event event : saga.history()) {
            boolean isRetry = Happening.of(event) instanceof Repaired repaired && repaired.action() == Action.RETRY;
            if (seen % 2 == 0 ? isAbout(event, blocked) : isRetry) {
                seen++;
            }
        }
        return seen >= 3;
    }

    // ---- the timeout

    /** Of a saga that has failed when a timeout was over: that, and which of its commands had been set aside or had failed. */
    List<String> timeout() {
        List<Event> history = saga.history();
        int over = overBeforeFailure();
        if (over < 0 || !(Happening.of(history.get(over)) instanceof TimedOut timeout)) {
            return List.of();
        }
        Instant at = history.get(over).at();
        List<String> sentences = new ArrayList<>();
        String resumed = resumed(over, timeout);
        sentences.add("It failed when its timeout %s %s, at %s%s."
                .formatted(
                        Words.text(timeout.timeout()), resumed.isEmpty() ? "expired" : "ran", words.at(at), resumed));
        int took = over - 1;
        while (took >= 0 && !(Happening.of(history.get(took)) instanceof Took)) {
            took--;
        }
        List<Event> since = history.subList(took + 1, over);
        for (Step step : saga.steps()) {
            String why = setAside(step, since, at);
            if (why == null && since.stream().anyMatch(event -> isSending(event, step))) {
                why = failed(step, at);
            }
            if (why != null) {
                sentences.add(why);
            }
        }
        return sentences;
    }

    /** That it was due while the saga was stuck, and who let it go on; empty if it was not. */
    private String resumed(int over, TimedOut timeout) {
        Event resumed = null;
        for (int i = over - 1; i >= 0; i--) {
            Event event = saga.history().get(i);
            Instant due = timeout.dueSince(event);
            if (due != null) {
                return resumed == null || due.isAfter(resumed.at())
                        ? ""
                        : ": somebody had resumed the saga at %s, and the timeout had been due since %s"
                                .formatted(when(resumed), words.at(due));
            }
            boolean isResume = Happening.of(event) instanceof Repaired repaired && repaired.action() == Action.RESUME;
            resumed = resumed == null && isResume ? event : resumed;
        }
        return "";
    }

    /** Where the history says that a timeout was over, and the saga failed in the same moment; negative if it does not. */
    private int overBeforeFailure() {
        List<Event> history = saga.history();
        int failed = history.size() - 1;
        while (failed >= 0
                && !(Happening.of(history.get(failed)) instanceof Failed)
                && !history.get(failed).what().equals("failed")) {
            failed--;
        }
        for (int i = failed - 1; i >= 0; i--) {
            Happening before = Happening.of(history.get(i));
            if (before instanceof TimedOut
                    && history.get(i).at().equals(history.get(failed).at())) {
                return i;
            } else if (before != null && !(before instanceof SentStep)) {
                return -1;
            }
        }
        return -1;
    }

    private static boolean isSending(Event event, Step step) {
        return event.what().equals(new SentStep(step.name(), step.type()).words());
    }

    /** @param since nothing has come to the saga */
    private @Nullable String setAside(Step step, List<Event> since, Instant over) {
        String sentence = null;
        for (Event event : since) {
            if (Happening.of(event) instanceof SetAside aside
                    && aside.message().messageId().equals(step.messageId())) {
                BlockedOn message = aside.message();
                String failure = receivers.of(message.messageId()).stream()
                        .filter(known -> known.part().node().equals(message.node()))
                        .map(known -> failure(known, over))
                        .filter(Objects::nonNull)
                        .map(last -> ": " + last)
                        .findFirst()
                        .orElse("");
                sentence = "It had taken no message since %s, when it heard that %s had %s %s (%s%s)."
                        .formatted(
                                words.at(event.at()),
                                Words.text(message.node()),
                                receivers.dropped(message) == null ? "set aside" : "dropped",
                                command(step),
                                Words.text(message.reason()),
                                failure);
            }
        }
        return sentence;
    }

    private @Nullable String failed(Step step, Instant over) {
        for (Receivers.Known known : receivers.of(step.messageId())) {
            Message message = known.message();
            Failure last = last(message, over);
            if (last != null && message.state() != State.HANDLED && message.state() != State.UNSENT) {
                return "Until then %s had failed to handle %s, the last time at %s (%s)."
                        .formatted(
                                Words.text(known.part().node()),
                                command(step),
                                words.at(last.at()),
                                receivers.failure(known.part(), last));
            }
        }
        return null;
    }

    private @Nullable String failure(Receivers.Known known, Instant over) {
        Failure last = last(known.message(), over);
        return last == null ? null : receivers.failure(known.part(), last);
    }

    private static @Nullable Failure last(Message message, Instant over) {
        return message.failures().stream()
                .filter(failure -> !failure.at().isAfter(over))
                .reduce((earlier, later) -> later)
                .orElse(null);
    }

    private static String command(Step step) {
        return "%s, the command of step %s"
                .formatted(Words.message(step.type(), step.messageId()), Words.text(step.name()));
    }
}
