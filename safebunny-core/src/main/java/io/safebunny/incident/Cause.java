// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.handler.SagaHandler;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.document.SagaHistory.Failed;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.saga.document.SagaHistory.TimedOut;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What made a saga fail, according to its history. Immutable.
 *
 * @param words for a comment
 * @param timeout that was over; {@code null} if it was none
 * @param type of the message that the saga took; empty if it took none
 * @param from a node that sends such messages
 * @param starts whether that message started the saga
 * @param news the message that a participant had set aside; {@code null} if it was none
 * @param done what the saga did then, before it failed
 */
record Cause(
        Instant at,
        String words,
        @Nullable String timeout,
        String type,
        String from,
        boolean starts,
        @Nullable BlockedOn news,
        List<Event> done) {

    /** @throws io.safebunny.failure.MisuseException SB-5027 if it is not known, or was an operator */
    static Cause of(StoredSaga saga) {
        List<Event> history = saga.view().history();
        int end = history.size() - 1;
        while (end >= 0 && !(Happening.of(history.get(end)) instanceof Failed)) {
            end--;
        }
        for (int i = end - 1; i >= 0; i--) {
            Event event = history.get(i);
            List<Event> done = List.copyOf(history.subList(i + 1, end));
            Cause cause = event.at().equals(history.get(end).at()) ? of(saga, event, done) : null;
            if (cause != null) {
                return cause;
            }
        }
        throw saga.refused(
                end < 0 ? "its history no longer tells how it failed" : "an operator made it fail",
                "Its reason is: %s.".formatted(saga.view().reason()));
    }

    private static @Nullable Cause of(StoredSaga saga, Event event, List<Event> done) {
        Happening happening = Happening.of(event);
        if (happening instanceof TimedOut over) {
            String words = "The end of the timeout %s".formatted(over.timeout());
            return new Cause(event.at(), words, over.timeout(), "", "", false, null, done);
        }
        if (happening instanceof SetAside news
                && saga.document().steps().sender(news.message().messageId()) != null) {
            return new Cause(event.at(), "", null, "", "", false, news.message(), done);
        }
        return happening instanceof Took took ? ofMessage(saga, event, took.type(), took.messageId(), done) : null;
    }

    private static Cause ofMessage(StoredSaga saga, Event event, String type, String id, List<Event> done) {
        SagaHandler handler = saga.handlerOf(type);
        if (handler == null) {
            throw saga.refused(
                    "a %s made it fail, which it no longer takes".formatted(type),
                    "Its reason is: %s.".formatted(saga.view().reason()));
        }
        String from = handler.from().stream().sorted().findFirst().orElse("");
        boolean starts = handler.onlyStarts()
                || (handler.starts() && event.at().equals(saga.view().startedAt()));
        return new Cause(event.at(), "%s %s".formatted(type, id), null, type, from, starts, null, done);
    }

    /** The timeout, as it was before its end. */
    Timeout armed() {
        return new Timeout("incident", at, at);
    }
}
