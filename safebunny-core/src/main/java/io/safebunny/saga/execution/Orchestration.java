// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.dedup.PoisonedRecords;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.Node;
import io.safebunny.saga.document.BunnyPoisoned;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.saga.document.SagaMessages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The message handlers of a node's sagas: those of the application, and those for messages that sagas send to themselves. Immutable. */
public final class Orchestration {

    private final String node;
    private final SagaTypes types;
    private final Map<String, Correlation> correlations = new LinkedHashMap<>();
    private final List<HandlerDefinition> handlers = new ArrayList<>();

    public Orchestration(Node node, List<SagaDefinition> sagas, SagaMessages messages) {
        this.node = node.name();
        this.types = new SagaTypes(
                sagas.stream().map(saga -> new SagaType(saga, messages, node)).toList());
        types.all().forEach(this::addOwn);
        if (!sagas.isEmpty()) {
            List<String> self = List.of(node.name());
            PoisonedRecords records = new PoisonedRecords(node.requireStore());
            addLibrary(BunnyTimeout.class, self, new TimeoutInvoker(types));
            addLibrary(BunnyRepair.class, self, new RepairInvoker(types));
            addLibrary(BunnyPoisoned.class, self, new PoisonedInvoker(types, messages, node, records));
            addLibrary(BunnyUndone.class, participants(), new UndoneInvoker(types, node));
        }
    }

    private void addOwn(SagaType type) {
        for (SagaHandler handler : type.definition().handlers()) {
            MessageInvoker invoker = new MessageInvoker(type, handler);
            handlers.add(handler.calling(invoker));
            correlations.put(handler.type(), invoker);
        }
    }

    private <I extends HandlerInvoker & Correlation> void addLibrary(Class<?> payload, List<String> from, I invoker) {
        SagaHandler pattern = mostPatient();
        String type = MessageTypes.nameOf(payload);
        RecoveryPolicy recovery = RecoveryPolicy.of(
                pattern.recovery().inMemory(), pattern.recovery().delayed());
        handlers.add(new HandlerDefinition(
                "sagas of node " + node, type, payload, from, pattern.prefetch(), recovery, invoker));
        correlations.put(type, invoker);
    }

    /** The handler with the most retries. Handlers that serve all sagas of the node are retried like this one. */
    private SagaHandler mostPatient() {
        return types.all().stream()
                .flatMap(type -> type.definition().handlers().stream())
                .max(Comparator.comparing(
                        handler -> handler.recovery().delayed().maxRetries()))
                .orElseThrow();
    }

    /** The nodes that receive commands of these sagas, and this node. */
    public List<String> participants() {
        Set<String> nodes = new LinkedHashSet<>();
        types.all().forEach(type -> nodes.addAll(type.definition().participants()));
        nodes.add(node);
        return List.copyOf(nodes);
    }

    /** All handlers, in no particular order. */
    public List<HandlerDefinition> handlers() {
        return List.copyOf(handlers);
    }

    /** The correlation of the handler's messages; {@code null} if they have nothing to do with sagas. */
    public @Nullable Correlation of(HandlerDefinition handler) {
        return correlations.get(handler.type());
    }

    /** Names of the sagas, in the order in which they were found. */
    public Set<String> names() {
        return types.names();
    }
}
