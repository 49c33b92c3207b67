// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import io.safebunny.concurrency.RecurringTask;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.saga.execution.Correlation;
import io.safebunny.saga.execution.Orchestration;
import io.safebunny.scheduling.OverdueSweep;
import io.safebunny.topology.Topology;
import io.safebunny.transport.DeliveryHandler;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The feature of a node that has sagas: their handlers, sweeper and figures, and the API that shows and repairs them. Whether there are
 * sagas is known when the node has started. Thread-safe.
 */
public final class SagaSupervision implements NodeFeature {

    private final Node node;
    private final SagaMessages messages;
    private final Sagas sagas;
    private final SagaCopies copies;
    private volatile boolean known;
    private volatile @Nullable Running running;

    public SagaSupervision(Node node) {
        this.node = node;
        this.messages = new SagaMessages(node.publisher(), node.library());
        this.sagas = new StoredSagas(node, messages, this::requireSagas, null);
        this.copies = new SagaCopies(node, messages, this::definitions);
    }

    /** The parts that only a node with sagas has. */
    private record Running(
            Map<String, SagaDefinition> byName,
            Orchestration orchestration,
            PoisonWatch watch,
            SagaCounts counts,
            RecurringTask sweeps) {}

    @Override
    public List<Object> offers() {
        return List.of(sagas, copies, this);
    }

    /** @throws ConfigurationException SB-1108 if sagas cannot work with the node's store or ids */
    @Override
    public List<HandlerDefinition> handlers(List<SagaDefinition> definitions) {
        running = definitions.isEmpty() ? null : run(definitions);
        known = true;
        return orchestrated(Orchestration::handlers, List.of());
    }

    private Running run(List<SagaDefinition> definitions) {
        requireUsable(definitions.get(0));
        definitions.stream()
                .map(SagaDefinition::encryptedAs)
                .filter(Objects::nonNull)
                .forEach(node.parts().codecs()::requireFor);
        Orchestration orchestration = new Orchestration(node, definitions, messages);
        hideTexts(definitions, orchestration);
        Map<String, SagaStates> states =
                definitions.stream().collect(Collectors.toMap(SagaDefinition::name, saga -> SagaStates.of(saga, node)));
        SagaCounts counts = new SagaCounts(node, orchestration.names());
        OverdueSagas overdue = new OverdueSagas(
                node,
                states,
                messages,
                OverdueSweep.patience(
                        retriesOfTimeouts(orchestration), node.options().lease()));
        OverdueSweep rounds = new OverdueSweep("sagas", overdue, node);
        Runnable sweep = () -> {
            counts.refresh(); // counted first, so that health has figures even if the rest fails
            rounds.run();
        };
        Map<String, SagaDefinition> byName = new LinkedHashMap<>();
        definitions.forEach(saga -> byName.put(saga.name(), saga));
        return new Running(
                byName,
                orchestration,
                new PoisonWatch(node, messages),
                counts,
                new RecurringTask(
                        "looking after sagas", node.options().lease(), sweep, node.workers(), node.timeline()));
    }

    private void requireUsable(SagaDefinition first) {
        if (node.store() == null) {
            throw new ConfigurationException(
                    "SB-1108",
                    "Sagas need a store [%s]: there is none.".formatted(first.description()),
                    "Set safebunny.store.type to jdbc (with safebunny-jdbc, org.springframework.boot:spring-boot-starter-jdbc, the driver of your database and spring.datasource.url; of several DataSource beans, one is @Primary), cosmos (with safebunny-cosmos and spring.cloud.azure.cosmos.endpoint), or memory if sagas may be lost with the process; or define a MessageStore bean.");
        }
        if (node.ids() instanceof MarkerMaskIdScheme) {
            throw new ConfigurationException(
                    "SB-1108",
                    "Sagas need ids of their own for two commands of one handler [%s]: marker-mask gives both the same."
                            .formatted(first.description()),
                    "Remove safebunny.ids.scheme.");
        }
    }

    /** Failures of what reads an encrypted state may quote it. Timeouts and repairs are messages of all sagas of the node. */
    private void hideTexts(List<SagaDefinition> definitions, Orchestration orchestration) {
        List<SagaDefinition> encrypted =
                definitions.stream().filter(saga -> saga.encryptedAs() != null).toList();
        encrypted.stream().flatMap(saga -> saga.handlers().stream()).forEach(handler -> node.details()
                .hideTextsOf(handler.type()));
        if (!encrypted.isEmpty()) {
            orchestration.handlers().stream()
                    .map(HandlerDefinition::type)
                    .filter(MessageTypes::isReserved)
                    .forEach(node.details()::hideTextsOf);
        }
    }

    private static RetryStrategy retriesOfTimeouts(Orchestration orchestration) {
        String type = MessageTypes.nameOf(BunnyTimeout.class);
        return orchestration.handlers().stream()
                .filter(handler -> handler.type().equals(type))
                .map(handler -> handler.recovery().delayed())
                .findAny()
                .orElse(RetryStrategy.none());
    }

    private <T> T orchestrated(Function<Orchestration, T> question, T withoutSagas) {
        Running present = running;
        return present == null ? withoutSagas : question.apply(present.orchestration);
    }

    private <T> T counted(Function<SagaCounts, T> question, T withoutSagas) {
        Running present = running;
        return present == null ? withoutSagas : question.apply(present.counts);
    }

    /** Shows and repairs the sagas of the node. */
    public Sagas sagas() {
        return sagas;
    }

    /** The sagas of the node; empty before the start. */
    public List<SagaDefinition> definitions() {
        Running present = running;
        return present == null ? List.of() : List.copyOf(present.byName.values());
    }

    private Map<String, SagaDefinition> requireSagas() {
        Running present = running;
        if (present == null) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "Node %s has no sagas, or has not started yet. Add a @BunnySaga, or wait for the start."
                            .formatted(node.name()));
        }
        return present.byName;
    }

    /** The correlation of the handler's messages; {@code null} if they have nothing to do with sagas. */
    public @Nullable Correlation correlationOf(HandlerDefinition handler) {
        Running present = running;
        return present == null ? null : present.orchestration.of(handler);
    }

    /** {@inheritDoc} These are the nodes whose poison messages may concern sagas of this node, including the node itself. */
    @Override
    public List<String> participants() {
        return orchestrated(Orchestration::participants, List.of());
    }

    /** {@inheritDoc} The queue receives notices of the messages that this node and the participants set aside. */
    @Override
    public Map<String, DeliveryHandler> queues() {
        Running present = running;
        return present == null ? Map.of() : Map.of(Topology.poisonWatchOf(node.name()), present.watch);
    }

    @Override
    public void startPublishing() {
        Running present = running;
        if (present != null) {
            present.sweeps.start();
        }
    }

    @Override
    public void stopPublishing() {
        Running present = running;
        if (present != null) {
            present.sweeps.stop();
        }
    }

    /** Whether the node has started: only then is it known whether it has sagas. */
    public boolean knowsSagas() {
        return known;
    }

    /** Whether the node has sagas; false before the start, see {@link #knowsSagas}. */
    public boolean hasSagas() {
        return running != null;
    }

    /** Sagas that wait for an operator, by name, as of {@link #countedAt}; empty if there are none. */
    public Map<String, Map<SagaStatus, Long>> needingRepair() {
        return counted(SagaCounts::needingRepair, Map.of());
    }

    /**
     * Active sagas that wait for a message that was set aside, or are idle since a repair, by name, as of {@link #countedAt}; empty if there
     * are none.
     */
    public Map<String, Long> blocked() {
        return counted(SagaCounts::blocked, Map.of());
    }

    /** Sagas that wait for the acknowledgement of an undo, by name, as of {@link #countedAt}; empty if there are none. */
    public Map<String, UndoingSagas> undoing() {
        return counted(SagaCounts::undoing, Map.of());
    }

    /** When the store was asked for {@link #needingRepair}, {@link #blocked} and {@link #undoing}; {@code null} before its first answer. */
    public @Nullable Instant countedAt() {
        Running present = running;
        return present == null ? null : present.counts.asOf();
    }
}
