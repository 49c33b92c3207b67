// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.message.Names;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the record of a message tells people of its handling. Nothing is decided by it, and it is bounded; of a message
 * that went well and has published nothing it takes some thirty bytes. Immutable.
 *
 * @param type of the message; empty if that is not known
 * @param failures the latest failed attempts, at most {@value #MOST_FAILURES}; the oldest first
 * @param published confirmed publications, at most {@value #MOST_PUBLISHED}; the first ones, in the order of publishing. Those that are
 *     still to be sent are in {@link MessageRecord#outgoing}
 * @param omitted number of confirmed publications beyond these
 */
public record Trail(String type, List<Failure> failures, List<Sent> published, int omitted) {

    /** How many failures are kept. */
    public static final int MOST_FAILURES = 5;

    /** How many publications are kept. */
    public static final int MOST_PUBLISHED = 64;

    /** Of a record of which nothing is known, and of all that are not of messages. */
    public static final Trail NONE = new Trail("", List.of(), List.of(), 0);

    private static final int LONGEST_TEXT = 200;
    private static final int LONGEST_NAME = 128;

    public Trail {
        failures = List.copyOf(failures);
        published = List.copyOf(published);
    }

    /**
     * A failed attempt.
     *
     * @param at when it had failed, by its instance's clock; in whole milliseconds
     * @param instance that handled the message
     * @param millis how long the attempt took
     * @param exception name of the class
     * @param text the first line of its text, made printable and cut to 200 characters; {@code null} if there is
     *     none, or it must not be shown
     * @param nextAt when the next attempt was to begin; {@code null} if there was to be none
     */
    public record Failure(
            Instant at,
            String instance,
            long millis,
            String exception,
            @Nullable String text,
            @Nullable Instant nextAt) {

        public Failure {
            at = at.truncatedTo(ChronoUnit.MILLIS);
            instance = printable(instance, LONGEST_NAME);
            exception = printable(exception, LONGEST_TEXT);
            text = text == null ? null : firstLine(text);
            nextAt = nextAt == null ? null : nextAt.truncatedTo(ChronoUnit.MILLIS);
        }

        private Failure withoutText() {
            return new Failure(at, instance, millis, exception, null, nextAt);
        }

        private static @Nullable String firstLine(String text) {
            return text.lines()
                    .filter(line -> !line.isBlank())
                    .findFirst()
                    .map(line -> Names.printable(line.strip(), LONGEST_TEXT))
                    .orElse(null);
        }
    }

    /**
     * A confirmed publication.
     *
     * @param correlationId {@code null} if its records are in the same partition as this one
     * @param dueAt when it was to be routed; {@code null} for at once, or if only a delay was given
     */
    public record Sent(
            String id,
            String type,
            @Nullable String correlationId,
            @Nullable Instant dueAt) {

        private static Sent of(OutboundMessage publication, RecordKey parent) {
            String correlationId = publication.message().correlationId();
            return new Sent(
                    printable(String.valueOf(publication.message().messageId()), LONGEST_NAME),
                    printable(String.valueOf(publication.message().type()), LONGEST_NAME),
                    correlationId == null || correlationId.equals(parent.correlationId())
                            ? null
                            : printable(correlationId, LONGEST_NAME),
                    publication.deliverAt());
        }
    }

    /** The text itself if it is as all our names are, which costs nothing. */
    private static String printable(String text, int longest) {
        return text.length() <= longest && isPlain(text) ? text : Names.printable(text, longest);
    }

    /** Whether JSON, a log and a terminal show it as it is. */
    static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                return false;
            }
        }
        return true;
    }

    /** Of a message of which nothing else is known yet. */
    public static Trail of(String type) {
        return new Trail(type, List.of(), List.of(), 0);
    }

    /** The same, and these failures after those that it has. */
    public Trail with(List<Failure> later) {
        if (later.isEmpty()) {
            return this;
        }
        List<Failure> all = Stream.concat(failures.stream(), later.stream()).toList();
        return new Trail(type, all.subList(Math.max(0, all.size() - MOST_FAILURES), all.size()), published, omitted);
    }

    /** The same, without these failures. */
    public Trail without(List<Failure> others) {
        return others.isEmpty()
                ? this
                : new Trail(
                        type,
                        failures.stream()
                                .filter(failure -> !others.contains(failure))
                                .toList(),
                        published,
                        omitted);
    }

    /** The same, without the texts of failures. */
    public Trail withoutTexts() {
        return failures.isEmpty()
                ? this
                : new Trail(type, failures.stream().map(Failure::withoutText).toList(), published, omitted);
    }

    /**
     * The same, and these publications after those that it has.
     *
     * @param parent of the record
     */
    Trail sent(List<OutboundMessage> confirmed, RecordKey parent) {
        if (confirmed.isEmpty()) {
            return this;
        }
        List<Sent> all = Stream.concat(
                        published.stream(), confirmed.stream().map(publication -> Sent.of(publication, parent)))
                .limit(MOST_PUBLISHED)
                .toList();
        return new Trail(type, failures, all, omitted + published.size() + confirmed.size() - all.size());
    }
}
