// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.failure.details.Printable;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.document.SagaDocument;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the statuses that sagas reach, and logs those that an operator should know of. Thread-safe. */
public final class SagaLog {

    private static final Logger LOG = LoggerFactory.getLogger(SagaLog.class);
    private static final int MOST_A_MINUTE = 20;
    private static final Subject TO_REPAIR =
            Subject.warn(LOG, "Sagas wait for a repair").upTo(MOST_A_MINUTE);
    private static final Subject FAILED = Subject.info(LOG, "Sagas have failed").upTo(MOST_A_MINUTE);
    private static final Subject NOT_STARTED = Subject.warn(
                    LOG, "Messages start no saga, because one with their id exists")
            .upTo(MOST_A_MINUTE);

    private SagaLog() {}

    /** @param saga a saga whose new status has been written */
    public static void became(Node node, SagaDocument saga) {
        node.metrics().sagaBecame(saga.saga(), saga.status().name());
        switch (saga.status()) {
            case STUCK ->
                toRepair(
                        node,
                        saga,
                        "It takes no other message until it is repaired. Mend the cause, then replay message %s, or resume or fail the saga"
                                .formatted(saga.stuckOn()));
            case COMPENSATION_FAILED ->
                toRepair(
                        node,
                        saga,
                        "It undoes nothing more until it is repaired. Mend the cause, then retry the saga, or skip the step");
            case FAILED ->
                node.log()
                        .tell(
                                FAILED,
                                name(saga),
                                () -> LOG.info(
                                        "Saga {} has failed, and every step with an undo is undone or skipped. Its reason is in its view and in SagaFailed",
                                        name(saga)));
            default -> {}
        }
    }

    /**
     * Call when a participant has set aside a message of the saga, as the latest event says, and the saga's class has no method for that.
     */
    static void blocked(Node node, SagaDocument saga) {
        toRepair(
                node,
                saga,
                "blocked",
                "It still takes other messages. Mend the cause, then replay the message where it was set aside, or retry the saga");
    }

    private static void toRepair(Node node, SagaDocument saga, String then) {
        toRepair(node, saga, saga.status().name(), then);
    }

    private static void toRepair(Node node, SagaDocument saga, String state, String then) {
        List<Event> history = saga.history();
        String why = history.isEmpty()
                ? ""
                : Printable.text(history.get(history.size() - 1).what()).replaceFirst("^stuck: ", "");
        node.log().tell(TO_REPAIR, name(saga), () -> LOG.warn("Saga {} is {}: {}. {}", name(saga), state, why, then));
    }

    /** Call when a message that should have started a saga was ignored. */
    static void notStarted(Node node, SagaDocument saga, MessageContext context) {
        String first = saga.history().stream()
                .findFirst()
                .map(event -> Printable.text(event.what()))
                .orElse("");
        node.log()
                .tell(
                        NOT_STARTED,
                        context.messageId(),
                        () -> LOG.warn(
                                "{} {} is ignored and starts no saga: saga {} exists already, is {}, and its history begins with:"
                                        + " {}. Give each saga a correlation id of its own; if this was the same request once"
                                        + " more, give both the same idempotency key",
                                context.type(),
                                context.messageId(),
                                name(saga),
                                saga.status(),
                                first));
    }

    private static String name(SagaDocument saga) {
        return saga.saga() + " " + saga.id();
    }
}
