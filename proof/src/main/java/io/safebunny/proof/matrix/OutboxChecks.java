// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import com.rabbitmq.client.GetResponse;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.Placed;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Checks an order after it was placed, or its parts were handled: each committed row led to two publications, and others to none. */
class OutboxChecks extends Checks {

    private static final List<String> BOTH = List.of("Placed 1", "Placed 2");

    private final Stage stage;
    private final Order order;
    private final Expectation expected;

    OutboxChecks(Stage stage, Order order, Expectation expected) {
        super(stage);
        this.stage = stage;
        this.order = order;
        this.expected = expected;
    }

    private boolean commits(String part) {
        return expected.end() == End.FINISHED && !order.isPoison(part);
    }

    private int due() {
        return (int) order.parts().stream().filter(this::commits).count() * BOTH.size();
    }

    private int poison() {
        return (int) order.parts().stream().filter(order::isPoison).count();
    }

    @Override
    boolean hasEnded() {
        int finished = stage.ledger().entries(Kind.FINISHED).size();
        boolean over = stage.neverReached().isEmpty() && finished >= due();
        return over
                && stage.unsent() == 0
                && stage.queues().messages(stage.queues().poison()) >= poison();
    }

    @Override
    String describe() {
        return "%s publications in the outbox, finished %s"
                .formatted(stage.unsent(), stage.ledger().entries(Kind.FINISHED));
    }

    @Override
    String declared() {
        return "";
    }

    @Override
    void check() {
        List<Publication> publications =
                stage.queues().tapped().stream().map(Publication::of).toList();
        order.parts().forEach(part -> checkPart(part, publications));
        checkCopies(publications);
        require(stage.unsent() == 0, "%s publications left in the outbox", stage.unsent());
        requirePoison(stage.queues().poison(), poison());
        requirePoison(stage.queues().deskPoison(), 0);
    }

    private void requirePoison(String queue, int due) {
        int poison = stage.queues().drain(queue).size();
        require(poison == due, "%s messages instead of %s in %s", poison, due, queue);
    }

    private void checkPart(String part, List<Publication> publications) {
        List<String> committed = Objects.requireNonNull(stage.committedRuns(part), "only where there is a table");
        require(committed.size() == (commits(part) ? 1 : 0), "%s committed rows of %s", committed.size(), part);
        List<String> due = committed.isEmpty() ? List.of() : BOTH;
        List<String> handled = stage.ledger().entries(Kind.FINISHED).stream()
                .filter(entry -> entry.subject().equals(part))
                .map(Entry::detail)
                .sorted()
                .toList();
        require(handled.equals(due), "handled of %s: %s instead of %s", part, handled, due);
        List<Placed> published = publications.stream()
                .filter(publication -> publication.correlationId.equals(part))
                .map(Publication::content)
                .toList();
        List<String> inOrder = published.stream().map(Placed::label).distinct().toList();
        require(inOrder.equals(due), "published of %s: %s, first occurrences in this order", part, inOrder);
        for (Placed placed : published) {
            require(
                    placed.part().equals(part) && committed.contains(placed.run()),
                    "%s is not of a run that is committed, which are %s",
                    placed,
                    committed);
        }
    }

    /** A repeat must have the same id and content. */
    private void checkCopies(List<Publication> publications) {
        int due = due();
        Set<Publication> different = new HashSet<>(publications);
        require(different.size() == due, "%s different messages instead of %s", different.size(), due);
        long ids = publications.stream().map(Publication::id).distinct().count();
        require(ids == due, "%s different ids instead of %s", ids, due);
    }

    private record Publication(String id, String correlationId, Placed content) {

        static Publication of(GetResponse message) {
            return new Publication(
                    String.valueOf(message.getProps().getMessageId()),
                    String.valueOf(message.getProps().getCorrelationId()),
                    Placed.of(message.getBody()));
        }
    }
}
