// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating.supervision;

import io.safebunny.message.Headers;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.orchestrating.UnplacedNews;
import io.safebunny.orchestrating.document.SagaDocument;
import io.safebunny.orchestrating.message.BunnyPoisoned;
import io.safebunny.orchestrating.message.BunnyTimeout;
import io.safebunny.orchestrating.message.SagaMessages;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.UnreadableRecordException;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Is told of every message that this node or a participant sets aside, and tells the saga to which it belongs, by a message that is the
 * same however often it is sent. Thread-safe.
 */
final class PoisonWatch implements DeliveryHandler {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonWatch.class);
    private static final Kind FAILED = Kind.warn(LOG, "Sagas cannot be told that messages of theirs were set aside");

    private static final String TIMEOUT = MessageTypes.nameOf(BunnyTimeout.class);
    private static final String SET_ASIDE = Topology.setAsideOf("");
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final Set<String> sagas;
    private final MessageStore store;
    private final ConfirmedSender sender;
    private final SagaMessages messages;
    private final UnplacedNews unplaced;
    private final Timeline timeline;
    private final BoundedLog log;

    PoisonWatch(
            Set<String> sagas,
            MessageStore store,
            ConfirmedSender sender,
            SagaMessages messages,
            UnplacedNews unplaced,
            Timeline timeline,
            BoundedLog log) {
        this.sagas = sagas;
        this.store = store;
        this.sender = sender;
        this.messages = messages;
        this.unplaced = unplaced;
        this.timeline = timeline;
        this.log = log;
    }

    @Override
    public void handle(Delivery delivery) {
        if (!delivery.isOpen()) {
            return;
        }
        try {
            tell(delivery);
            log.works(FAILED);
            delivery.acknowledge();
        } catch (RuntimeException e) { // the store or the broker does not answer
            log.fails(
                    FAILED,
                    delivery.message().message().toString(),
                    () -> LOG.warn("A saga cannot be told that a message was set aside", log.tellable(e)));
            pause();
            delivery.handBack();
        }
    }

    private void tell(Delivery delivery) {
        WireMessage notice = delivery.message().message();
        String sagaId = notice.correlationId();
        String id = notice.messageId();
        String type = notice.type();
        if (sagaId == null
                || id == null
                || type == null
                || !Names.isCorrelationId(sagaId)
                || !Names.isMessageId(id)
                || (MessageTypes.isReserved(type) && !type.equals(TIMEOUT) && !type.equals(SagaMessages.UNDONE))) {
            return;
        }
        Object cause = notice.headers().get(Headers.CAUSATION_ID);
        String sent = type.equals(SagaMessages.UNDONE) && cause != null ? cause.toString() : id;
        BunnyPoisoned news = new BunnyPoisoned(
                BunnyPoisoned.UNPLACED,
                id,
                Names.printable(type),
                Names.printable(nodeOf(delivery.message())),
                number(notice.headers(), Headers.POISON_VERSION),
                number(notice.headers(), Headers.SENT_AT));
        String reason = reason(notice.headers());
        List<String> concerned = concerned(sagaId, sent);
        for (String saga : concerned) {
            sender.sendAndWait(messages.poisoned(news.to(saga), reason, sagaId, timeline.now()));
        }
        if (concerned.isEmpty()) {
            sender.sendAndWait(unplaced.first(news, sent, reason, sagaId, timeline.now()));
        }
    }

    /**
     * The saga that sent the command or the undo; all that have this id if it was none of them, or cannot be read, because a newer
     * version wrote it, which will read the news.
     */
    private List<String> concerned(String sagaId, String sent) {
        List<String> concerned = new ArrayList<>();
        for (String saga : sagas) {
            try {
                MessageRecord stored = store.find(SagaDocument.key(saga, sagaId));
                if (stored != null) {
                    if (SagaDocument.read(saga, stored).steps().haveSent(sent)) {
                        return List.of(saga);
                    }
                    concerned.add(saga);
                }
            } catch (UnreadableRecordException e) {
                concerned.add(saga);
            }
        }
        return concerned;
    }

    /** As the routing key says, which permissions restrict. */
    private static String nodeOf(IncomingMessage notice) {
        String key = notice.routingKey();
        return key.endsWith(SET_ASIDE) ? key.substring(0, key.length() - SET_ASIDE.length()) : key;
    }

    private static String reason(Map<String, Object> headers) {
        return headers.get(Headers.POISON_REASON) instanceof String text ? Names.printable(text) : "unknown";
    }

    private static long number(Map<String, Object> headers, String name) {
        return headers.get(name) instanceof Number number ? number.longValue() : 0;
    }

    private void pause() {
        try {
            timeline.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
