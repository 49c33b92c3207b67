// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.upgrade;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.JsonProbe;
import io.safebunny.serialization.json.JsonProbe.Found;
import io.safebunny.serialization.json.StateFormat;
import io.safebunny.test.upgrade.UpgradeFinding.Kind;
import io.safebunny.upgrade.UpgradeSample;
import io.safebunny.upgrade.UpgradeSample.Saga;
import io.safebunny.upgrade.UpgradeSample.State;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads the states of a sample with the new classes, and looks for what their running sagas need. Confined to one thread. */
final class SagaCheck {

    private static final JsonProbe PROBE = JsonProbe.ofStates();

    private final UpgradeSample sample;
    private final Map<String, SagaDefinition> sagas;
    private final Findings findings;
    private final Map<String, WrittenAgain> comparisons = new TreeMap<>();

    SagaCheck(UpgradeSample sample, List<SagaDefinition> sagas, Findings findings) {
        this.sample = sample;
        this.sagas = sagas.stream().collect(Collectors.toMap(SagaDefinition::name, Function.identity()));
        this.findings = findings;
    }

    void run() {
        for (Saga before : sample.sagas()) {
            if (before.running() == 0 && before.areAll()) {
                findings.unchecked("Saga %s: none was running.".formatted(before.name()));
                continue;
            }
            SagaDefinition now = sagas.get(before.name());
            if (now == null) {
                findings.add(
                        Kind.MISSING_SAGA,
                        before.name(),
                        "",
                        "%s are running, and the new version has no such saga: nobody goes on with them, or undoes them."
                                .formatted(running(before)),
                        "Keep the class until they have ended; if it has another name now, write @BunnySaga(name = \"%s\") on it."
                                .formatted(before.name()));
            } else {
                compare(before, now);
            }
        }
        for (State state : sample.states()) {
            SagaDefinition now = sagas.get(state.saga());
            if (now != null && state.state() instanceof ObjectNode object) {
                check(state, object, now);
            }
        }
        comparisons.forEach(this::tell);
    }

    private static String running(Saga saga) {
        return (saga.areAll() ? "" : "At least ") + saga.running();
    }

    private void compare(Saga before, SagaDefinition now) {
        if (before.version() > now.version()) {
            findings.add(
                    Kind.LOWER_VERSION,
                    before.name(),
                    "",
                    "The running version stores states of version %s, and the new class reads up to %s: their messages wait for an instance of the running version."
                            .formatted(before.version(), now.version()),
                    "Write @BunnySaga(version = %s) on the class, or a higher one.".formatted(before.version()));
        }
        Set<String> taken = now.handlers().stream()
                .filter(handler -> !handler.onlyStarts())
                .map(SagaHandler::type)
                .collect(Collectors.toSet());
        for (String type : before.goesOnWith()) {
            if (!taken.contains(type)) {
                findings.add(
                        Kind.MISSING_ANSWER,
                        before.name() + '.' + type,
                        "",
                        "Running sagas may wait for it, and the new class has no handler for it (%s running, open steps: %s)."
                                .formatted(running(before), before.steps()),
                        "Keep the handler until these sagas have ended.");
            }
        }
        Set<String> timeouts = new TreeSet<>(before.timeouts());
        timeouts.addAll(before.pending().keySet());
        timeouts.removeAll(now.timeouts().keySet());
        for (String timeout : timeouts) {
            int pending = before.pending().getOrDefault(timeout, 0);
            if (pending > 0 || !before.areAll()) {
                findings.add(
                        Kind.MISSING_TIMEOUT,
                        before.name() + '.' + timeout,
                        "",
                        "%s, and the new class has no method for it: a saga is stuck a quarter of an hour after it is over."
                                .formatted(
                                        pending > 0
                                                ? "%s running sagas have set it".formatted(pending)
                                                : "Running sagas that are not in the sample may have set it"),
                        "Keep @OnTimeout(\"%s\") until these sagas have ended.".formatted(timeout));
            }
        }
    }

    private static String where(State state) {
        return "%s (%s, version %s)".formatted(state.id(), state.status(), state.version());
    }

    private void check(State state, ObjectNode stored, SagaDefinition saga) {
        if (state.version() > saga.version()) {
            return; // it is told of the class
        }
        findings.reading();
        ObjectNode upgraded = upgraded(state, stored, saga);
        Object value = upgraded == null ? null : value(state, upgraded, saga);
        if (upgraded != null && value != null) {
            probe(state, upgraded, saga, value);
        }
    }

    /** A version for which there is no upgrade, so that its state is taken as it is; 0 for none. */
    private static int hole(State state, SagaDefinition saga) {
        return IntStream.range(state.version(), saga.version())
                .filter(from -> !saga.upgrades().containsKey(from))
                .findFirst()
                .orElse(0);
    }

    private @Nullable ObjectNode upgraded(State state, ObjectNode stored, SagaDefinition saga) {
        try {
            return SagaStates.upgraded(saga, stored, state.version());
        } catch (RuntimeException e) { // from a method of the application
            Throwable own = e.getCause() == null ? e : e.getCause();
            unreadable(
                    Kind.FAILING_UPGRADE,
                    state,
                    saga,
                    "An upgrade of its state throws %s."
                            .formatted(own.getClass().getName()),
                    "Correct it: it must take every state of its version that was ever stored.");
            return null;
        }
    }

    private void unreadable(Kind kind, State state, SagaDefinition saga, String problem, String action) {
        int hole = hole(state, saga);
        if (hole == 0) {
            findings.add(kind, saga.name(), where(state), problem, action);
        } else {
            findings.add(
                    Kind.MISSING_UPGRADE,
                    saga.name(),
                    where(state),
                    "There is no upgrade from version %s of its state, so it is taken as it is. %s"
                            .formatted(hole, problem),
                    "Add @Upgrade(from = %s) static ObjectNode upgrade(ObjectNode old).".formatted(hole));
        }
    }

    private @Nullable Object value(State state, ObjectNode upgraded, SagaDefinition saga) {
        try {
            return SagaStates.read(ExactTree.write(upgraded), saga.stateType());
        } catch (SerializationException e) {
            unreadable(
                    Kind.UNREADABLE_STATE,
                    state,
                    saga,
                    e.messageWithoutCode() + '.',
                    state.version() < saga.version()
                            ? "Correct the upgrade from version %s.".formatted(state.version())
                            : "Raise @BunnySaga(version = %s), and add @Upgrade(from = %s) static ObjectNode upgrade(ObjectNode old); of a property that has another name, @JsonAlias will do."
                                    .formatted(saga.version() + 1, saga.version()));
            return null;
        }
    }

    private void probe(State state, ObjectNode upgraded, SagaDefinition saga, Object value) {
        Found found;
        try {
            found = PROBE.read(ExactTree.write(upgraded).getBytes(StandardCharsets.UTF_8), saga.stateType());
        } catch (SerializationException e) {
            findings.unchecked(
                    "Whether the state of %s loses properties: %s.".formatted(saga.name(), e.messageWithoutCode()));
            return;
        }
        boolean isOfRunning = sample.sagas().stream()
                .anyMatch(before -> before.name().equals(saga.name()) && before.version() == state.version());
        if (!isOfRunning && !found.unread().isEmpty()) {
            findings.unchecked(
                    "Whether the state of %s loses properties of version %s: what its upgrades leave may have been unread before."
                            .formatted(saga.name(), state.version()));
        }
        for (String place : isOfRunning ? found.unread() : Set.<String>of()) {
            findings.add(
                    Kind.LOST_PROPERTY,
                    saga.name() + '.' + found.named(place),
                    where(state),
                    "The running version reads it from the state, and nothing in the new class does.",
                    "If it has another name now, add @JsonAlias with the old one; if nobody needs it, name it in @JsonIgnoreProperties, or accept this finding.");
        }
        if (state.version() == saga.version()) {
            comparisons
                    .computeIfAbsent(saga.name(), unused -> new WrittenAgain())
                    .add(state.state(), StateFormat.write(value), found, true);
        }
    }

    private void tell(String saga, WrittenAgain comparison) {
        comparison
                .differences()
                .forEach(
                        (property, how) -> findings.add(
                                Kind.UNREADABLE_FOR_OLD,
                                property.isEmpty() ? saga : saga + '.' + property,
                                "",
                                "The running version has always written it into the state, and the new one %s: while both versions run, instances of the old one do not read it as before."
                                        .formatted(how),
                                "Go on storing it until the old version is gone, or raise @BunnySaga(version): then messages wait for the new version."));
    }
}
