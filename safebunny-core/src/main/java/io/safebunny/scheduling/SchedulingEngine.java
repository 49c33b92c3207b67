// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.ScheduledMessages;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.message.MessageTypes;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.waiting.RecurringTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/** All that keeps the scheduled messages of a node: their handler, their sweeper, and what an application calls. Thread-safe. */
public final class SchedulingEngine {

    private static final int PREFETCH = 20;
    private static final int RETRIES = 3;
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

    private final ScheduledMessages messages;
    private final HandlerDefinition handler;
    private final RecurringTask sweeps;

    /**
     * @param node its name
     * @param store where it keeps them
     * @param blocking runs the sweeps, which wait for the store
     * @param retention how long the store remembers what came of a message
     * @param lease half of it is how late an alarm may be before it is sent again
     * @param maxMessageSize largest body of a message to the node itself
     */
    public SchedulingEngine(
            String node,
            CurrentHandling current,
            PipelineBunny publisher,
            LibraryMessages library,
            MessageStore store,
            ConfirmedSender sender,
            Timeline timeline,
            Executor blocking,
            Metrics metrics,
            BoundedLog log,
            Duration retention,
            Duration lease,
            long maxMessageSize) {
        metrics.registerScheduled();
        Alarms alarms = new Alarms(library, timeline);
        // the store's clock may differ from the node's, but not by a lease
        ScheduledDocuments documents =
                new ScheduledDocuments(store, sender, alarms, timeline, metrics, retention.minus(lease));
        this.messages = new StoredScheduledMessages(node, publisher, documents, alarms, timeline, maxMessageSize);
        Duration delay = retention.dividedBy(4 * RETRIES);
        this.handler = new HandlerDefinition(
                "scheduled messages of node " + node,
                MessageTypes.nameOf(BunnyScheduled.class),
                BunnyScheduled.class,
                List.of(node),
                PREFETCH,
                RecoveryPolicy.of(
                        RetryStrategy.none(),
                        RetryStrategy.of(RETRIES, delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY)),
                new ScheduledInvoker(node, current, alarms, timeline, metrics, retention));
        SweepRounds rounds = new SweepRounds(
                "Scheduled messages",
                new OverdueMessages(
                        store,
                        alarms,
                        timeline,
                        metrics,
                        lease,
                        SweepRounds.patience(handler.recovery().delayed(), lease)),
                store,
                sender,
                blocking,
                timeline,
                log,
                lease);
        this.sweeps = new RecurringTask("looking after scheduled messages", lease, rounds::run, blocking, timeline);
    }

    public ScheduledMessages messages() {
        return messages;
    }

    /** Of the messages by which the node keeps and wakes what it has scheduled. */
    public HandlerDefinition handler() {
        return handler;
    }

    public void start() {
        sweeps.start();
    }

    public void stop() {
        sweeps.stop();
    }
}
