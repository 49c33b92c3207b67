// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.SagaHistory.Failed;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Repaired;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Awaited;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Line;
import io.safebunny.story.NodeStory.Looked;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.Scheduled;
import io.safebunny.story.NodeStory.Unsent;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out what must not leave a node: texts that people and exceptions have written. Ids, names, classes of exceptions and times stay.
 * Sentences stay only if they are known to be ours; every component is named, so that a new one is not told by accident. Pure.
 */
public final class WithoutTexts {

    /** In the place of who has paused a type. */
    static final String OPERATOR = "an operator";

    /** In the place of a text whose absence would mean something else. */
    static final String ELSEWHERE = "its own node says why";

    private static final String NAME = "[^:\\s]{1,200}";

    /** Troubles and gaps begin with what is wrong; what follows may quote anybody. */
    private static final List<String> TROUBLES =
            List.of("the broker cannot be used", "the store did not answer when it was last called");

    private static final List<Pattern> OF_SHARDS = patterns(
            "no instance listens to shard \\d{1,3} of " + NAME
                    + ", where (?:1 message waits|\\d{1,19} messages wait): those of order key \\S{1,128} would be among them",
            NAME
                    + " is to have \\d{1,3} shards instead of \\d{1,3} since \\S{1,50}: until shards \\[[\\d, ]{0,2000}\\] have handled what they had before, those of order key \\S{1,128} may wait in its queue");

    /** Those of the header, such as {@code handler-failed}. */
    private static final Pattern REASON = Pattern.compile("[a-z-]{1,50}");

    private static final List<Pattern> NOTES = patterns(
            "not looked at: this node has no store",
            "not looked at: it failed with [\\w.$]{1,300}",
            "not looked at: the search was to take \\d+ m?s at most",
            "not looked at: searches for other nodes take a tenth of the time at most",
            "only \\d+ of \\d+ are told",
            "not looked at: it holds its messages back from others while it is read\\. GET safebunnypoison shows it",
            "it has more correlation ids than the \\d+ that are told",
            "only the first \\d+ of \\d+ pairs of type and node were tried",
            "only \\d+ of \\d+ were looked at");

    /** Each begins with a word of ours, and no part of it may be a text: what has failed tells its reason. */
    private static final List<Pattern> EVENTS = patterns(
            "took " + NAME + ' ' + "\\S{1,200}",
            "step [^:\\n]{1,200}: " + NAME,
            "forgot step [^:\\n]{1,200}",
            "timeout [^:\\n]{1,200} at \\S{1,50}",
            "timeout [^:\\n]{1,200} is over",
            "cancelled timeout [^:\\n]{1,200}",
            "completed",
            "undoing step [^:\\n]{1,200}",
            "undone: step [^:\\n]{1,200}",
            "nothing to undo for step [^:\\n]{1,200}",
            "ended, nothing is left to undo",
            "stuck: the message of timeout [^:\\n]{1,200} was set aside",
            "(?:stuck|compensation failed): " + NAME + " \\S{1,200} was set aside",
            NAME + " \\S{1,200} was set aside by " + NAME + ": [a-z-]{1,50}");

    private WithoutTexts() {}

    private static List<Pattern> patterns(String... patterns) {
        return List.of(patterns).stream().map(Pattern::compile).toList();
    }

    public static NodeStory of(NodeStory part) {
        return new NodeStory(
                part.node(),
                part.instance(),
                part.asOf(),
                part.foundAs(),
                part.correlationIds(),
                part.troubles().stream().map(WithoutTexts::trouble).toList(),
                part.sagas().stream().map(WithoutTexts::saga).toList(),
                part.messages().stream().map(WithoutTexts::message).toList(),
                part.pauses().stream().map(WithoutTexts::pause).toList(),
                part.moved().stream().map(WithoutTexts::moved).toList(),
                part.outbox().stream().map(WithoutTexts::unsent).toList(),
                part.scheduled().stream().map(WithoutTexts::scheduled).toList(),
                part.looked().stream().map(WithoutTexts::looked).toList(),
                part.truncated());
    }

    private static String trouble(String trouble) {
        if (isOurs(OF_SHARDS, trouble)) {
            return trouble;
        }
        return TROUBLES.stream()
                .filter(trouble::startsWith)
                .findFirst()
                .orElse("something does not work: " + ELSEWHERE);
    }

    private static boolean isOurs(List<Pattern> patterns, String text) {
        return patterns.stream().anyMatch(pattern -> pattern.matcher(text).matches());
    }

    private static Looked looked(Looked look) {
        String note = look.note();
        return new Looked(
                look.where(),
                look.found(),
                note == null || isOurs(NOTES, note)
                        ? note
                        : (note.startsWith("not looked at") ? "not looked at: " : "that may not be all: ") + ELSEWHERE);
    }

    private static Saga saga(Saga saga) {
        return new Saga(
                saga.saga(),
                saga.id(),
                saga.status(),
                saga.startedAt(),
                saga.changedAt(),
                null,
                saga.steps().stream().map(WithoutTexts::step).toList(),
                Map.copyOf(saga.timeouts()),
                saga.blockedOn().stream().map(WithoutTexts::blocked).toList(),
                stuck(saga.stuckOn()),
                saga.awaited().stream()
                        .map(awaited -> new Awaited(awaited.type(), List.copyOf(awaited.from())))
                        .toList(),
                saga.history().stream().map(WithoutTexts::event).toList());
    }

    private static SagaView.Step step(SagaView.Step step) {
        return new SagaView.Step(step.name(), step.messageId(), step.type(), step.undo(), step.status());
    }

    private static BlockedOn blocked(BlockedOn on) {
        return new BlockedOn(
                on.messageId(),
                on.type(),
                on.node(),
                REASON.matcher(on.reason()).matches() ? on.reason() : ELSEWHERE);
    }

    private static SagaView.@Nullable StuckOn stuck(SagaView.@Nullable StuckOn on) {
        return on == null
                ? null
                : new SagaView.StuckOn(on.messageId(), on.node(), on.since(), on.type(), on.exception(), null);
    }

    private static SagaView.Event event(SagaView.Event event) {
        Happening happening = Happening.of(event);
        if (happening instanceof Repaired repaired) {
            return new SagaView.Event(event.at(), new Repaired(repaired.action(), null).words());
        } else if (happening instanceof Failed) {
            return new SagaView.Event(event.at(), "failed");
        }
        String what = event.what();
        return new SagaView.Event(event.at(), isOurs(EVENTS, what) ? what : "changed: " + ELSEWHERE);
    }

    private static Message message(Message message) {
        return new Message(
                message.id(),
                message.correlationId(),
                message.type(),
                message.state(),
                message.retries(),
                message.claimedUntil(),
                message.changedAt(),
                message.failures().stream().map(WithoutTexts::failure).toList(),
                message.published().stream()
                        .map(sent -> new Publication(sent.id(), sent.type(), sent.confirmed(), sent.dueAt()))
                        .toList(),
                message.omitted(),
                line(message.line()));
    }

    private static @Nullable Line line(@Nullable Line line) {
        return line == null
                ? null
                : new Line(line.place(), line.waiting(), line.head(), line.held(), line.since(), line.dueAt());
    }

    private static Failure failure(Failure failure) {
        return new Failure(
                failure.at(), failure.instance(), failure.millis(), failure.exception(), null, failure.nextAt());
    }

    /** That somebody has paused it, and that the breaker has opened by itself, decides what helps. */
    private static Pause pause(Pause pause) {
        return new Pause(
                pause.type(),
                pause.state(),
                pause.since(),
                pause.until(),
                null,
                pause.by() == null ? null : OPERATOR,
                pause.opened() == null ? null : ELSEWHERE);
    }

    /** Neither who nor why. */
    private static Moved moved(Moved moved) {
        return new Moved(
                moved.messageId(),
                moved.correlationId(),
                moved.kind(),
                moved.older(),
                moved.at(),
                moved.keptUntil(),
                null,
                null);
    }

    private static Unsent unsent(Unsent row) {
        return new Unsent(
                row.messageId(), row.correlationId(), row.type(), row.attempts(), row.storedAt(), row.dueAt());
    }

    private static Scheduled scheduled(Scheduled message) {
        return new Scheduled(message.messageId(), message.status(), message.deliverAt());
    }
}
