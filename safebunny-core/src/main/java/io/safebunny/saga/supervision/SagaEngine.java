// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.supervision;

import io.safebunny.dedup.PoisonedRecords;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.message.MessageTypes;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.saga.running.Orchestration;
import io.safebunny.scheduling.SweepRounds;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.waiting.RecurringTask;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All that makes the sagas of a node run: their handlers, their sweeper, and how they are looked at and repaired. Thread-safe. */
public final class SagaEngine {

    private final Orchestration orchestration;
    private final Sagas sagas;
    private final PoisonWatch poisonWatch;
    private final SagaCounts counts;
    private final RecurringTask sweeps;

    /**
     * @param node its name
     * @param blocking runs the sweeps, which wait for the store
     * @param retention how long a saga that has ended is kept
     * @param lease half of it is how late a timeout may be before its message is sent again
     */
    public SagaEngine(
            String node,
            List<SagaDefinition> definitions,
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
            Duration lease) {
        SagaMessages messages = new SagaMessages(publisher, library);
        PoisonedRecords records = new PoisonedRecords(store);
        this.orchestration =
                new Orchestration(node, definitions, current, messages, records, timeline, metrics, retention);
        this.sagas = new StoredSagas(orchestration.names(), store, sender, messages, timeline);
        this.poisonWatch = new PoisonWatch(sender, messages, timeline, log);
        this.counts = new SagaCounts(orchestration.names(), store, timeline, metrics, log);
        Map<String, SagaStates> states =
                definitions.stream().collect(Collectors.toMap(SagaDefinition::name, SagaStates::new));
        SweepRounds rounds = new SweepRounds(
                "Sagas",
                new OverdueSagas(
                        states, store, messages, metrics, log, lease, SweepRounds.patience(retriesOfTimeouts(), lease)),
                store,
                sender,
                blocking,
                timeline,
                log,
                lease);
        Runnable sweep = () -> {
            counts.refresh(); // first, as health tells of the figures, and whatever else fails
            rounds.run();
        };
        this.sweeps = new RecurringTask("looking after sagas", lease, sweep, blocking, timeline);
    }

    private RetryStrategy retriesOfTimeouts() {
        String type = MessageTypes.nameOf(BunnyTimeout.class);
        return orchestration.handlers().stream()
                .filter(handler -> handler.type().equals(type))
                .map(handler -> handler.recovery().delayed())
                .findAny()
                .orElse(RetryStrategy.none());
    }

    public Orchestration orchestration() {
        return orchestration;
    }

    public Sagas sagas() {
        return sagas;
    }

    /** Takes copies of what this node and the participants set aside. */
    public DeliveryHandler poisonWatch() {
        return poisonWatch;
    }

    /** Those that go on only when a person has looked after them, by name of the saga, as the store said last. */
    public Map<String, Map<SagaStatus, Long>> needingRepair() {
        return counts.needingRepair();
    }

    /** Active ones that wait for what was set aside, by name of the saga, as the store said last; without those that have none. */
    public Map<String, Long> blocked() {
        return counts.blocked();
    }

    /** Those that are undoing, by name of the saga, as the store said last; without those that have none. */
    public Map<String, UndoingSagas> undoing() {
        return counts.undoing();
    }

    /** When the store said what {@link #needingRepair}, {@link #blocked} and {@link #undoing} tell; {@code null} before it has been asked. */
    public @Nullable Instant countedAt() {
        return counts.asOf();
    }

    public void start() {
        sweeps.start();
    }

    public void stop() {
        sweeps.stop();
    }
}
