// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.saga.Placed;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks orders of one key: each began when the one before had ended, and those that were handled have had their effects once. */
final class LaneChecks extends Checks {

    private static final List<String> BOTH = List.of("Placed 1", "Placed 2");

    private final Stage stage;
    private final Order order;
    private final Expectation expected;

    LaneChecks(Stage stage, Order order, Expectation expected) {
        super(stage);
        this.stage = stage;
        this.order = order;
        this.expected = expected;
    }

    private List<String> handled() {
        return order.parts().stream().filter(part -> !order.isPoison(part)).toList();
    }

    /** A person decides on what holds others. */
    private int poison() {
        return order.kind().isHeld() ? 0 : order.parts().size() - handled().size();
    }

    private int discarded() {
        return order.kind().isHeld() ? order.parts().size() - handled().size() : 0;
    }

    @Override
    boolean hasEnded() {
        return stage.neverReached().isEmpty()
                && stage.ledger().entries(Kind.FINISHED).size() >= handled().size() * BOTH.size()
                && (order.kind().isHeld()
                        ? stage.queues().messages(stage.queues().poison()) == 0
                        : stage.queues().messages(stage.queues().poison()) >= poison())
                && stage.queues().messages(stage.queues().archive()) >= discarded()
                && stage.allIsDispatched();
    }

    @Override
    String describe() {
        return "begun %s, finished %s"
                .formatted(stage.ledger().entries(Kind.HANDLING), stage.ledger().entries(Kind.FINISHED));
    }

    @Override
    String declared() {
        return "";
    }

    @Override
    void check() {
        List<Entry> runs = stage.ledger().entries(Kind.HANDLING);
        List<String> begun = runs.stream().map(Entry::subject).toList();
        require(begun.equals(begun.stream().sorted().toList()), "begun in the order %s", begun);
        for (String part : order.parts()) {
            List<String> attempts = runs.stream()
                    .filter(entry -> entry.subject().equals(part))
                    .map(Entry::detail)
                    .toList();
            Set<String> due = order.failsAtFirst(part) ? Set.of("0", "1") : Set.of("0");
            require(new HashSet<>(attempts).equals(due), "attempts of %s: %s", part, attempts);
            require(attempts.size() <= expected.maxRuns(), "%s was run %s times", part, attempts.size());
            checkEffects(part);
        }
        List<String> ids = stage.queues().tapped().stream()
                .map(message -> Placed.of(message.getBody()).part()
                        + ' '
                        + message.getProps().getMessageId())
                .distinct()
                .toList();
        int due = handled().size() * BOTH.size();
        require(ids.size() == due, "%s different publications instead of %s: %s", ids.size(), due, ids);
        long poisoned = different(stage.queues().poison());
        require(poisoned == poison(), "%s different messages instead of %s are poison", poisoned, poison());
        long archived = different(stage.queues().archive());
        boolean isDiscarded = archived == discarded();
        boolean isSecondCopy =
                order.kind() == OrderKind.IN_ORDER_HELD && archived == 1; // left by a process that has ended
        require(
                isDiscarded || isSecondCopy,
                "%s different messages instead of %s are discarded",
                archived,
                discarded());
        if (order.kind().isHeld()) {
            checkHeld();
        }
    }

    private long different(String queue) {
        return stage.queues().drain(queue).stream()
                .map(copy -> copy.getProps().getMessageId())
                .distinct()
                .count();
    }

    private void checkHeld() {
        List<String> early = stage.ledger().entriesBefore(Kind.DECIDED, Kind.HANDLING).stream()
                .map(Entry::subject)
                .filter(part -> !part.equals(order.parts().get(0)))
                .toList();
        require(early.isEmpty(), "begun before the first one was decided on: %s", early);
    }

    private void checkEffects(String part) {
        List<String> due = order.isPoison(part) ? List.of() : BOTH;
        List<String> finished = stage.ledger().entries(Kind.FINISHED).stream()
                .filter(entry -> entry.subject().equals(part))
                .map(Entry::detail)
                .sorted()
                .toList();
        require(finished.equals(due), "handled of %s: %s instead of %s", part, finished, due);
        List<String> committed = stage.committedRuns(part);
        require(
                committed == null || committed.size() == due.size() / BOTH.size(),
                "committed rows of %s: %s",
                part,
                committed);
    }
}
