// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.message.WireMessage;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.saga.SagaStatus;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Checks a saga with state after it has ended: each effect once, undone once, the last one first, and the saga knows. */
final class TripChecks extends Checks {

    private static final Map<OrderKind, List<String>> EFFECTS = Map.of(
            OrderKind.SAGA_COMPLETES, List.of("StepA", "StepB"),
            OrderKind.SAGA_SCHEDULES, List.of("StepA", "StepB"),
            OrderKind.SAGA_FAILS, List.of("StepA", "StepB", "UndoB", "UndoA"),
            OrderKind.SAGA_LATE, List.of("StepA", "StepB", "UndoB", "UndoA"),
            OrderKind.SAGA_BARRED, List.of("StepA", "UndoB", "UndoA"),
            OrderKind.SAGA_STUCK, List.of("StepA", "StepB", "UndoB", "UndoA"));

    private final Stage stage;
    private final Order order;

    TripChecks(Stage stage, Order order) {
        super(stage);
        this.stage = stage;
        this.order = order;
    }

    private SagaStatus end() {
        return order.kind() == OrderKind.SAGA_COMPLETES || order.kind() == OrderKind.SAGA_SCHEDULES
                ? SagaStatus.COMPLETED
                : SagaStatus.FAILED;
    }

    private String status() {
        return stage.saga(order).path("status").asString("none");
    }

    @Override
    boolean hasEnded() {
        boolean told = end() == SagaStatus.COMPLETED
                || !stage.ledger().entries(Kind.FINISHED).isEmpty();
        return told && status().equals(end().name()) && stage.allIsDispatched();
    }

    @Override
    String describe() {
        return "saga %s, effects %s".formatted(stage.saga(order), effects());
    }

    @Override
    String declared() {
        return "";
    }

    private List<String> effects() {
        return stage.ledger().entries(Kind.CHARGED).stream().map(Entry::detail).toList();
    }

    @Override
    void check() {
        JsonNode saga = stage.saga(order);
        require(status().equals(end().name()), "the saga is %s instead of %s", status(), end());
        require(effects().equals(EFFECTS.get(order.kind())), "effects %s", effects());
        require(saga.path("timeouts").isEmpty(), "timeouts are left: %s", saga.path("timeouts"));
        require(saga.path("blockedOn").isEmpty(), "it is blocked on %s", saga.path("blockedOn"));
        saga.path("steps").forEach(step -> {
            String due = end() == SagaStatus.COMPLETED ? "SENT" : "UNDONE";
            String is = step.path("status").asString("");
            require(due.equals(is), "step %s is %s", step.path("name").asString(""), is);
        });
        Set<String> events = stage.arrived().stream()
                .filter(message -> "SagaFailed".equals(message.type()))
                .map(WireMessage::messageId)
                .collect(Collectors.toCollection(HashSet::new));
        int due = end() == SagaStatus.FAILED ? 1 : 0;
        require(events.size() == due, "%s different messages SagaFailed", events.size());
        int handled = stage.ledger().entries(Kind.FINISHED).size();
        require(handled == due, "SagaFailed was handled %s times", handled);
        Set<String> poison = stage.queues().drain(stage.queues().poison()).stream()
                .map(message -> message.getProps().getType())
                .collect(Collectors.toSet());
        require(poison.equals(poison()), "in the poison queue: %s", poison);
        require(
                stage.queues().drain(stage.queues().deskPoison()).isEmpty(),
                "messages in the poison queue of the desk");
    }

    /** DoneB was sent by no saga that this process has; news of it waits for an instance that might have one. */
    @Override
    List<String> waiting() {
        return order.kind() == OrderKind.SAGA_STUCK ? List.of("BunnyPoisoned") : List.of();
    }

    private Set<String> poison() {
        return switch (order.kind()) {
            case SAGA_BARRED -> Set.of("StepB");
            case SAGA_STUCK -> Set.of("DoneB");
            default -> Set.of();
        };
    }
}
