// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.failure.details.Printable;
import io.safebunny.saga.SagaView;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.exchange.Awaiting;
import io.safebunny.story.exchange.HandMoves;
import io.safebunny.story.exchange.OwnMessages;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parts of sentences. All that others have written is made printable. Immutable. */
final class Words {

    /** Why a message is shredded. */
    static final String ERASED = "its person was erased";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("yyyy-MM-dd", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** It took one; it became stuck, or its undoing did, on one; one was set aside. */
    private static final String OF_A_MESSAGE = "^(took |stuck: |compensation failed: |)%s(?= \\S+( was set aside.*)?$)";

    private final Instant now;

    Words(Instant now) {
        this.now = now;
    }

    /** Without the day if it is today. */
    String at(Instant time) {
        String day = DAY.format(time);
        return (day.equals(DAY.format(now)) ? "" : day + ' ') + TIME.format(time);
    }

    boolean isPast(Instant time) {
        return time.isBefore(now);
    }

    /** {@code `Capture` (m-1)}, {@code the end of a timeout (m-1)}, or {@code message m-1}. */
    static String message(String type, String id) {
        return type.isEmpty() ? "message " + text(id) : "%s (%s)".formatted(type(type), text(id));
    }

    /** The same of one that was handled. */
    static String handled(Message message, OwnMessages own) {
        String name = own.name(message);
        return name == null ? message(message.type(), message.id()) : "%s (%s)".formatted(name, text(message.id()));
    }

    /** {@code `Capture`}, or {@code the end of a timeout}. */
    static String type(String type) {
        String own = Awaiting.one(type);
        return own == null ? '`' + text(type) + '`' : own;
    }

    /** As what is handled: {@code `Capture`}, or {@code timeouts}. */
    static String types(String type) {
        String own = Awaiting.several(type);
        return own == null ? '`' + text(type) + '`' : own;
    }

    /** As the beginning of a sentence. */
    static String handling(String type) {
        String own = Awaiting.several(type);
        return own == null ? '`' + text(type) + '`' : "The handling of " + own;
    }

    /**
     * What a saga's history has stored, without our types where it names a message, and with who has repaired it. What people have written
     * stays as it is.
     */
    static String happening(SagaView.Event event) {
        String by = event.by();
        String words = by == null
                ? event.what()
                : event.what().replaceFirst("^(refused )?[A-Z]+", "$0 by " + Matcher.quoteReplacement(by));
        for (String type : Awaiting.OWN_TYPES) {
            words = words.replaceFirst(OF_A_MESSAGE.formatted(type), "$1" + Awaiting.one(type));
        }
        return words.replaceFirst("^undoing step ", "sent the undo of step ")
                .replaceFirst("^undone: step (.*)$", "heard that the undo of step $1 is done");
    }

    static String capitalised(String sentence) {
        return Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1);
    }

    static String text(String text) {
        return Printable.text(text);
    }

    /** Whether it ended because its person was erased. */
    static boolean isShredded(Message message) {
        return message.state() == State.SHREDDED;
    }

    /** Why it did not run, or not again. */
    static String expiry(Message message) {
        if (isShredded(message)) {
            return ERASED;
        }
        return message.failures().stream().allMatch(HandMoves::isExpiry)
                ? "its deadline had passed"
                : "its next attempt would have come after its deadline";
    }

    /** Whether it ended as it did because its deadline had passed. One that was handled in a replay since then did not. */
    static boolean hasExpired(Message message) {
        List<Failure> failures = message.failures();
        Failure last = failures.isEmpty() ? null : failures.get(failures.size() - 1);
        boolean isExpiry = last != null && HandMoves.isExpiry(last);
        return switch (message.state()) {
            case EXPIRED -> true;
            case SET_ASIDE -> isExpiry;
            case HANDLED, UNSENT -> isExpiry && last != null && last.nextAt() != null; // its method ran at once
            case HANDLING, WAITING, UNDONE, SHREDDED -> false;
        };
    }

    /** What others have said, so that nobody takes it for our words. */
    static String quoted(String text) {
        return '"' + text(text).replace('"', '\'') + '"';
    }

    /** With one full stop, also if others have written the end. */
    static String sentence(String text) {
        return text.replaceAll("[. ]+$", "") + '.';
    }

    static String count(int count, String what) {
        return count == 1 ? "one " + what : count + " " + what + 's';
    }

    /** What a message is in this state. */
    static String of(State state) {
        return switch (state) {
            case HANDLING -> "being handled";
            case WAITING -> "waiting to be handled again";
            case UNSENT -> "handled, with publications that are not confirmed";
            case HANDLED -> "handled";
            case SET_ASIDE -> "set aside";
            case EXPIRED -> "dropped, because the deadline had passed";
            case SHREDDED -> "shredded, because its person was erased";
            case UNDONE -> "not to be handled, because the undo of the step has arrived";
        };
    }

    /** {@code `Capture` (2) and `Refund`}. */
    static <T> String counted(List<T> all, Function<T, String> name) {
        return join(
                all.stream()
                        .collect(Collectors.groupingBy(name, TreeMap::new, Collectors.counting()))
                        .entrySet()
                        .stream()
                        .map(group -> group.getKey() + (group.getValue() == 1 ? "" : " (" + group.getValue() + ')'))
                        .toList(),
                "and");
    }

    static String times(int count) {
        return switch (count) {
            case 1 -> "once";
            case 2 -> "twice";
            default -> count + " times";
        };
    }

    static String join(List<String> parts, String last) {
        int size = parts.size();
        return size < 2
                ? String.join("", parts)
                : String.join(", ", parts.subList(0, size - 1)) + ' ' + last + ' ' + parts.get(size - 1);
    }

    /** The class without its package, and the text. */
    static String failure(Failure failure) {
        return failure(failure.exception(), failure.text());
    }

    static String failure(String exception, @Nullable String text) {
        String name = exception.substring(exception.lastIndexOf('.') + 1);
        return text(name) + (text == null ? "" : ": " + quoted(text));
    }

    /**
     * As the end of a sentence about a type.
     *
     * @param withheld who tells what is not told here; empty if all is told
     */
    String pause(Pause pause, String withheld) {
        Instant until = pause.until();
        String by = pause.by();
        String reason = pause.reason();
        String opened = pause.opened();
        return "has been %s since %s%s%s%s%s%s"
                .formatted(
                        pause.state().equals("OPEN") ? "paused" : "probed with few messages",
                        at(pause.since()),
                        until == null ? "" : ", until " + at(until),
                        by == null ? "" : ", by " + text(by),
                        reason == null ? "" : " (" + quoted(reason) + ')',
                        reason == null && !withheld.isEmpty() ? " (%s why)".formatted(withheld) : "",
                        opened == null ? "" : ", and its breaker has opened by itself (" + quoted(opened) + ')');
    }

    /** Another instance may be paused, or not. */
    static String at(NodeStory part) {
        return "at instance %s of %s".formatted(text(part.instance()), text(part.node()));
    }
}
