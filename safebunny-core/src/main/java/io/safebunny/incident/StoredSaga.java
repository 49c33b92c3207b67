// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaDocument;
import java.lang.reflect.Type;
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

    MisuseException refused(String why, String whatToDo) {
        return Incidents.refused("saga " + view.saga(), view.id(), why, whatToDo);
    }

    /** What the saga reads messages of the type as; {@code null} if it takes none. */
    @Nullable
    Type payloadOf(String type) {
        return definition.handlers().stream()
                .filter(handler -> handler.type().equals(type))
                .map(SagaHandler::payloadType)
                .findFirst()
                .orElse(null);
    }

    /** Makes it active again, as if nothing had failed. */
    void revive() {
        document.become(SagaStatus.ACTIVE);
        document.blocks().clear();
        document.steps().all().forEach(step -> document.steps().put(step.with(StepStatus.SENT)));
    }
}
