// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.MessageContext;
import io.safebunny.handling.Handling;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.orchestrating.document.SagaDocument;
import io.safebunny.orchestrating.message.BunnyPoisoned;
import io.safebunny.orchestrating.message.SagaMessages;
import io.safebunny.spi.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * News of messages set aside whose saga could not be found, because it is just being started, or the store does not show it to this
 * instance yet; most belong to none. It is looked for a few times, ever later. Thread-safe.
 */
public final class UnplacedNews {

    private static final Logger LOG = LoggerFactory.getLogger(UnplacedNews.class);
    private static final Kind NO_SAGA = Kind.info(LOG, "Messages were set aside that belong to no saga of this node");

    private static final List<Duration> PAUSES = List.of(Duration.ofSeconds(10), Duration.ofMinutes(2));

    private final SagaMessages messages;
    private final BoundedLog log;

    public UnplacedNews(SagaMessages messages, BoundedLog log) {
        this.messages = messages;
        this.log = log;
    }

    /**
     * To be sent when no saga was found.
     *
     * @param sent id of the message that was set aside, or of the undo that it acknowledges
     */
    public OutboundMessage first(BunnyPoisoned news, String sent, String reason, String sagaId, Instant now) {
        return messages.unplaced(news, sent, reason, sagaId, 1, now, PAUSES.get(0));
    }

    /** Looks once more, and tells the sagas that are found. */
    void place(BunnyPoisoned news, SagaTypes types, Handling handling, MessageContext context, Instant now) {
        String sagaId = SagaType.sagaId(handling);
        String reason = SagaMessages.reasonOf(context);
        String sent = SagaMessages.sentOf(context, news);
        List<String> found = find(sent, types);
        for (String saga : found) {
            handling.collect(messages.poisoned(news.to(saga), reason, sagaId, now));
        }
        int search = SagaMessages.searchOf(context);
        if (found.isEmpty() && search >= 1 && search < PAUSES.size()) {
            handling.collect(messages.unplaced(news, sent, reason, sagaId, search + 1, now, PAUSES.get(search)));
        } else if (found.isEmpty()) {
            log.tell(
                    NO_SAGA,
                    news.messageId(),
                    () -> LOG.info(
                            "Node {} set {} {} aside, and there is no saga with its correlation id [{}]",
                            news.node(),
                            news.type(),
                            news.messageId(),
                            sagaId));
        }
    }

    /** The one that sent it, or all that have this id. */
    private static List<String> find(String sent, SagaTypes types) {
        List<String> found = new ArrayList<>();
        for (SagaType type : types.all()) {
            SagaVisit visit = type.visit();
            SagaDocument saga = visit == null ? null : visit.saga();
            if (saga != null && saga.steps().haveSent(sent)) {
                return List.of(type.name());
            }
            if (saga != null) {
                found.add(type.name());
            }
        }
        return found;
    }
}
