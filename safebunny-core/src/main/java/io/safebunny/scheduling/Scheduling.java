// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.ScheduledMessage;
import io.safebunny.ScheduledMessages;
import io.safebunny.concurrency.RecurringTask;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Scheduled messages of a node: their handler, their sweep, and the API for applications. Thread-safe. */
public final class Scheduling implements NodeFeature {

    private static final int PREFETCH = 20;
    private static final int RETRIES = 3;
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

    private final ScheduledMessages messages;
    private final ScheduledOperations operations;
    private final HandlerDefinition handler;
    private final RecurringTask sweeps;

    private Scheduling(Node node) {
        requireUsable(node);
        node.metrics().registerScheduled();
        Duration retention = node.options().retention();
        Duration lease = node.options().lease();
        Alarms alarms = new Alarms(node.library(), node.timeline());
        // the store's clock may differ from the node's, but by less than a lease
        ScheduledDocuments documents = new ScheduledDocuments(node, alarms, retention.minus(lease));
        messages = new StoredScheduledMessages(node, documents, alarms);
        operations = new ScheduledOperations(node, documents);
        Duration delay = retention.dividedBy(4 * RETRIES);
        RetryStrategy delayed = RetryStrategy.of(RETRIES, delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY);
        handler = new HandlerDefinition(
                "scheduled messages of node " + node.name(),
                MessageTypes.nameOf(BunnyScheduled.class),
                BunnyScheduled.class,
                List.of(node.name()),
                PREFETCH,
                RecoveryPolicy.of(RetryStrategy.none(), delayed),
                new ScheduledInvoker(node, alarms));
        OverdueMessages overdue = new OverdueMessages(node, alarms, OverdueSweep.patience(delayed, lease));
        OverdueSweep sweep = new OverdueSweep("scheduled messages", overdue, node);
        sweeps = new RecurringTask(
                "sweeping overdue scheduled messages", lease, sweep::run, node.workers(), node.timeline());
    }

    /**
     * @param enabled whether the node stores scheduled messages; otherwise every call fails with SB-5013
     * @throws ConfigurationException SB-1109 when it cannot store them
     */
    public static NodeFeature of(Node node, boolean enabled) {
        return enabled ? new Scheduling(node) : new NoScheduling(node.name());
    }

    /** Key of what is stored of a scheduled message. */
    public static RecordKey keyOf(String messageId) {
        return ScheduledDocument.key(messageId);
    }

    /** What is stored of a scheduled message; {@code null} if this is no such record, or this version cannot read it. */
    public static @Nullable ScheduledMessage read(MessageRecord stored) {
        ScheduledDocument document = document(stored);
        return document == null ? null : document.view(stored.key().correlationId());
    }

    /** The correlation id of the message itself; {@code null} if it does not wait any more. */
    public static @Nullable String correlationIdOf(MessageRecord stored) {
        OutboundMessage publication = publicationOf(stored);
        return publication == null ? null : publication.message().correlationId();
    }

    /** Finds the records of messages that wait, those due first. */
    public static ListingQuery waiting(int limit) {
        return new ListingQuery(ScheduledDocument.KIND, ScheduledDocument.Status.WAITING.name(), null, null, limit);
    }

    /** The message itself; {@code null} if it does not wait any more. */
    public static @Nullable OutboundMessage publicationOf(MessageRecord stored) {
        ScheduledDocument document = document(stored);
        return document == null ? null : document.publication();
    }

    private static @Nullable ScheduledDocument document(MessageRecord stored) {
        if (!stored.key().equals(keyOf(stored.key().correlationId()))) {
            return null;
        }
        try {
            return ScheduledDocument.read(stored);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }

    private static void requireUsable(Node node) {
        if (node.store() == null) {
            throw new ConfigurationException(
                    "SB-1109",
                    "Scheduled messages need a store [node=%s]: there is none.".formatted(node.name()),
                    "Add a store module and what it needs (safebunny-jdbc: spring-boot-starter-jdbc, the driver of your database and spring.datasource.url), or set safebunny.store.type=memory; or remove safebunny.scheduling.enabled.");
        }
        if (node.ids() instanceof MarkerMaskIdScheme) {
            throw new ConfigurationException(
                    "SB-1109",
                    "Scheduled messages need ids of their own [node=%s]: marker-mask gives two of one handler the same."
                            .formatted(node.name()),
                    "Remove safebunny.ids.scheme, or safebunny.scheduling.enabled.");
        }
    }

    @Override
    public List<Object> offers() {
        return List.of(messages, operations);
    }

    @Override
    public List<HandlerDefinition> handlers(List<SagaDefinition> sagas) {
        return List.of(handler);
    }

    @Override
    public void startPublishing() {
        sweeps.start();
    }

    @Override
    public void stopPublishing() {
        sweeps.stop();
    }
}
