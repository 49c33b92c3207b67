// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaHistory.SentStep;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A saga of which a test is made. Confined to one thread.
 *
 * @param document is changed to what the test begins with
 * @param view as it is stored
 */
record StoredSaga(SagaDefinition definition, SagaDocument document, SagaView view) {

    /** @param node of the saga */
    StoredSaga(SagaDefinition definition, SagaDocument document, String node) {
        this(definition, document, document.view(node));
    }

    String title() {
        return "Saga %s %s is %s.".formatted(view.saga(), view.id(), view.status());
    }

    /**
     * What tells this incident from others.
     *
     * @param messageId of the message that was set aside; empty if none was
     */
    List<String> identity(String messageId) {
        SagaStatus kind = view.status() == SagaStatus.COMPENSATING ? SagaStatus.FAILED : view.status();
        return List.of(kind.name(), view.saga(), view.id(), messageId);
    }

    MisuseException refused(String why, String whatToDo) {
        return Incidents.refused("saga " + view.saga(), view.id(), why, whatToDo);
    }

    /** What takes messages of the type; {@code null} if nothing does. */
    @Nullable
    SagaHandler handlerOf(String type) {
        return definition.handlers().stream()
                .filter(handler -> handler.type().equals(type))
                .findFirst()
                .orElse(null);
    }

    /**
     * Makes it active again, as if nothing had failed.
     *
     * @param done what it did when it failed, as its history says: steps among it are forgotten, because they would be refused if it did
     *     them again
     */
    void revive(List<SagaView.Event> done) {
        List<String> words = done.stream().map(SagaView.Event::what).toList();
        document.become(SagaStatus.ACTIVE);
        document.blocks().clear();
        document.steps().all().stream()
                .filter(step -> words.contains(new SentStep(step.name(), step.type()).words()))
                .forEach(step -> document.steps().remove(step.name()));
        document.steps().all().forEach(step -> document.steps().put(step.with(StepStatus.SENT)));
    }
}
