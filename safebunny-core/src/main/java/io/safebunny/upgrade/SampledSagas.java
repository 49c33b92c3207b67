// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.incident.Masking;
import io.safebunny.node.Node;
import io.safebunny.saga.SagaPage;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.JsonProbe;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.upgrade.UpgradeSample.Saga;
import io.safebunny.upgrade.UpgradeSample.State;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Takes some states of each class of sagas and version into a sample, and the messages of their steps. Confined to one thread. */
final class SampledSagas {

    private static final int MOST_SCANNED = 1_000;
    private static final int PAGE = 10; // each with its state

    private static final String STEP = "step of a saga";

    private static final Set<SagaStatus> RUNNING =
            EnumSet.of(SagaStatus.ACTIVE, SagaStatus.COMPENSATING, SagaStatus.STUCK, SagaStatus.COMPENSATION_FAILED);

    private static final JsonProbe PROBE = JsonProbe.ofStates();

    private final Node node;
    private final Sagas stored;
    private final Masking masking;
    private final Omissions omissions;
    private final Pseudonyms ids;
    private final SampledMessages messages;
    private final int most;
    private final List<State> states = new ArrayList<>();
    private long room = SampledMessages.ROOM;

    SampledSagas(
            Node node,
            Sagas stored,
            Masking masking,
            Omissions omissions,
            Pseudonyms ids,
            SampledMessages messages,
            int most) {
        this.node = node;
        this.stored = stored;
        this.masking = masking;
        this.omissions = omissions;
        this.ids = ids;
        this.messages = messages;
        this.most = most;
    }

    List<State> states() {
        return states;
    }

    /**
     * Looks at the running sagas of a class, the oldest first.
     *
     * @throws io.safebunny.store.StoreUnavailableException if the store does not answer
     */
    Saga take(SagaDefinition saga) {
        Map<String, Integer> pending = new TreeMap<>();
        Map<String, Integer> steps = new TreeMap<>();
        Map<Integer, Integer> taken = new HashMap<>();
        int running = 0;
        String next = null;
        do {
            SagaPage page = stored.page(new SagaQuery(saga.name(), RUNNING, false, next, PAGE));
            for (SagaView view : page.sagas()) {
                running++;
                for (String timeout : view.timeouts().keySet()) {
                    if (saga.timeouts().containsKey(timeout)) {
                        pending.merge(timeout, 1, Integer::sum);
                    } else {
                        omissions.add(saga.name(), "waits for a timeout for which this version has no method");
                    }
                }
                view.steps().stream()
                        .filter(step -> step.status() == StepStatus.SENT || step.status() == StepStatus.UNDOING)
                        .forEach(step -> steps.merge(step.type(), 1, Integer::sum));
                take(saga, view, taken);
            }
            next = page.next();
        } while (next != null && running < MOST_SCANNED);
        if (next != null) {
            omissions.add(saga.name(), "has more running sagas than the first %s".formatted(running), 0);
        }
        return new Saga(
                saga.name(),
                saga.version(),
                saga.handlers().stream()
                        .filter(handler -> !handler.onlyStarts())
                        .map(SagaHandler::type)
                        .sorted()
                        .toList(),
                saga.timeouts().keySet().stream().sorted().toList(),
                running,
                next == null,
                pending,
                steps);
    }

    private void take(SagaDefinition saga, SagaView view, Map<Integer, Integer> taken) {
        String why = whyNot(saga, view, taken);
        if (why != null) {
            omissions.add(saga.name(), why);
            return;
        }
        if (view.stateVersion() == 0) {
            return; // it has none yet
        }
        JsonNode state = state(saga, view);
        if (state != null) {
            room -= view.state().length();
            taken.merge(view.stateVersion(), 1, Integer::sum);
            states.add(new State(
                    saga.name(),
                    ids.of(view.id()),
                    view.stateVersion(),
                    view.status().name(),
                    state));
        }
        MessageRecord record = node.requireStore().find(SagaDocument.key(saga.name(), view.id()));
        if (record != null) {
            SagaDocument.ifReadable(saga.name(), record)
                    .ifPresent(document -> document.steps().all().forEach(step -> {
                        messages.add(step.command().message(), STEP);
                        if (step.undo() != null) {
                            messages.add(step.undo().message(), STEP);
                        }
                    }));
        }
    }

    private @Nullable String whyNot(SagaDefinition saga, SagaView view, Map<Integer, Integer> taken) {
        if (view.encrypted() || saga.encryptedAs() != null) {
            return "has an encrypted state, which stays so, also what is about erased persons";
        }
        if (view.stateVersion() > saga.version()) {
            return "has a state of a newer version than this instance knows";
        }
        return taken.getOrDefault(view.stateVersion(), 0) >= most
                ? "has more states than the %s of each version that are taken".formatted(most)
                : null;
    }

    private @Nullable JsonNode state(SagaDefinition saga, SagaView view) {
        if (view.state().length() > SampledMessages.LARGEST) {
            omissions.add(saga.name(), "has a state of more than %s bytes".formatted(SampledMessages.LARGEST));
            return null;
        }
        if (view.state().length() > room) {
            omissions.add(
                    saga.name(), "does not fit: the sample has its %s bytes of states".formatted(SampledMessages.ROOM));
            return null;
        }
        if (!(SampledMessages.tree(view.state()) instanceof ObjectNode state)) {
            omissions.add(saga.name(), "has a state that is no object");
            return null;
        }
        JsonNode shown = masking.state(view, state.deepCopy());
        if (shown.isEmpty() && !state.isEmpty()) {
            omissions.add(saga.name(), "has a state that is not shown by the BodyMasker");
            return null;
        }
        int version = view.stateVersion();
        return new MaskedJson(
                        saga.name(),
                        saga.stateType(),
                        PROBE,
                        tree -> SagaStates.upgraded(saga, (ObjectNode) tree, version),
                        tree -> {
                            ObjectNode upgraded = SagaStates.upgraded(saga, (ObjectNode) tree, version);
                            Object unused = SagaStates.read(ExactTree.write(upgraded), saga.stateType());
                        })
                .of(state, shown, version == saga.version(), omissions);
    }
}
