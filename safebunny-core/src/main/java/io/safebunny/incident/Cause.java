// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What made a saga fail, according to its history. Immutable.
 *
 * @param words for a comment
 * @param timeout that was over; {@code null} if it was none
 * @param type of the message that the saga took; empty if it took none
 * @param from a node that sends such messages
 * @param news the message that a participant had set aside; {@code null} if it was none
 */
record Cause(
        Instant at,
        String words,
        @Nullable String timeout,
        String type,
        String from,
        @Nullable BlockedOn news) {

    private static final Pattern TIMEOUT = Pattern.compile("timeout (.*) is over");
    private static final Pattern MESSAGE = Pattern.compile("took (\\S+) (\\S+)");
    private static final Pattern NEWS = Pattern.compile("(\\S+) (\\S+) was set aside by (\\S+): (\\S+)");

    /** @throws io.safebunny.failure.MisuseException SB-5027 if it is not known, or was an operator */
    static Cause of(StoredSaga saga) {
        List<Event> history = saga.view().history();
        int end = history.size() - 1;
        while (end >= 0 && !history.get(end).what().startsWith("failed: ")) {
            end--;
        }
        for (int i = end - 1; i >= 0; i--) {
            Event event = history.get(i);
            Cause cause = event.at().equals(history.get(end).at()) ? of(saga, event) : null;
            if (cause != null) {
                return cause;
            }
        }
        throw saga.refused(
                end < 0 ? "its history no longer tells how it failed" : "an operator made it fail",
                "Its reason is: %s.".formatted(saga.view().reason()));
    }

    private static @Nullable Cause of(StoredSaga saga, Event event) {
        Matcher timeout = TIMEOUT.matcher(event.what());
        if (timeout.matches()) {
            String name = timeout.group(1);
            return new Cause(event.at(), "The end of the timeout %s".formatted(name), name, "", "", null);
        }
        Matcher news = NEWS.matcher(event.what());
        if (news.matches() && saga.document().steps().sender(news.group(2)) != null) {
            BlockedOn message = new BlockedOn(news.group(2), news.group(1), news.group(3), news.group(4));
            return new Cause(event.at(), "", null, "", "", message);
        }
        Matcher message = MESSAGE.matcher(event.what());
        return message.matches() ? ofMessage(saga, event, message.group(1), message.group(2)) : null;
    }

    private static Cause ofMessage(StoredSaga saga, Event event, String type, String id) {
        String from = saga.definition().handlers().stream()
                .filter(handler -> handler.type().equals(type))
                .flatMap(handler -> handler.from().stream().sorted())
                .findFirst()
                .orElseThrow(() -> saga.refused(
                        "a %s made it fail, which it no longer takes".formatted(type),
                        "Its reason is: %s.".formatted(saga.view().reason())));
        return new Cause(event.at(), "%s %s".formatted(type, id), null, type, from, null);
    }

    /** The timeout, as it was before its end. */
    Timeout armed() {
        return new Timeout("incident", at, at);
    }
}
