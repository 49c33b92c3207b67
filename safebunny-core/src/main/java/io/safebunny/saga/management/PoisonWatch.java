// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import io.safebunny.message.Headers;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.saga.document.BunnyPoisoned;
import io.safebunny.saga.document.PoisonNews;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives a notice of every message that this node or a participant sets aside, and sends news of it to the sagas of its correlation id,
 * which decide whether it concerns them. The news has the same id however often it is sent. Thread-safe.
 */
final class PoisonWatch implements DeliveryHandler {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonWatch.class);
    private static final Subject FAILED = Subject.warn(LOG, "Sagas cannot be told that messages were set aside");

    private static final String SET_ASIDE = Topology.setAsideOf("");
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final ConfirmedSender sender;
    private final SagaMessages messages;
    private final Timeline timeline;
    private final BoundedLog log;

    PoisonWatch(Node node, SagaMessages messages) {
        this.sender = node.sender();
        this.messages = messages;
        this.timeline = node.timeline();
        this.log = node.log();
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
        } catch (RuntimeException e) { // the broker does not answer
            log.fails(
                    FAILED,
                    delivery.message().message().toString(),
                    () -> LOG.warn(
                            "A saga cannot be told that a message was set aside; trying again", log.tellable(e)));
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
                || (MessageTypes.isReserved(type)
                        && !type.equals(SagaMessages.TIMEOUT)
                        && !type.equals(SagaMessages.UNDONE))) {
            return;
        }
        Map<String, Object> headers = notice.headers();
        Object cause = headers.get(Headers.CAUSATION_ID);
        String sent = type.equals(SagaMessages.UNDONE) && cause != null ? cause.toString() : id;
        BunnyPoisoned body = new BunnyPoisoned(
                id,
                Names.printable(type),
                Names.printable(nodeOf(delivery.message())),
                number(headers, Headers.POISON_VERSION),
                number(headers, Headers.SENT_AT),
                sent,
                false);
        PoisonNews news = new PoisonNews(body, reason(headers), number(headers, Headers.POISONED_AT), false);
        sender.send(messages.poisoned(news, sagaId, timeline.now())).await();
    }

    /** The node that sent the notice. Taken from the routing key, because the broker restricts that by permissions. */
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
