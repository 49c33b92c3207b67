// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.MessageTypes;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.story.NodeStory.Awaited;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a saga waits for. Pure. */
final class Awaiting {

    /** By which a participant acknowledges an undo. */
    static final String UNDONE = MessageTypes.nameOf(BunnyUndone.class);

    private static final String TIMEOUT = MessageTypes.nameOf(BunnyTimeout.class);

    /** Types of the messages that keep sagas going whatever they wait for. */
    static final List<String> OF_SAGAS = List.of(UNDONE, TIMEOUT, MessageTypes.nameOf(BunnyRepair.class));

    private Awaiting() {}

    static boolean isTimeout(@Nullable String type) {
        return TIMEOUT.equals(type);
    }

    static boolean isForSagas(String type) {
        return OF_SAGAS.contains(type);
    }

    /**
     * An active saga waits for what it takes and has not taken yet, as far as its history reaches; one that compensates for the
     * acknowledgement of the undo that it has sent. No other waits for a message.
     */
    static List<Awaited> of(SagaView saga, List<SagaDefinition> defined) {
        if (saga.status() == SagaStatus.COMPENSATING) {
            return saga.steps().stream().anyMatch(step -> step.status() == StepStatus.UNDOING)
                    ? List.of(new Awaited(UNDONE, List.of()))
                    : List.of();
        }
        if (saga.status() != SagaStatus.ACTIVE) {
            return List.of();
        }
        Set<String> taken = saga.history().stream()
                .flatMap(event -> Happening.of(event) instanceof Took took ? Stream.of(took.type()) : Stream.empty())
                .collect(Collectors.toSet());
        List<Awaited> awaited = new ArrayList<>();
        for (SagaDefinition definition : defined) {
            if (definition.name().equals(saga.saga())) {
                for (SagaHandler handler : definition.handlers()) {
                    if (!handler.onlyStarts() && !taken.contains(handler.type())) {
                        awaited.add(new Awaited(handler.type(), handler.from()));
                    }
                }
            }
        }
        awaited.sort(Comparator.comparing(Awaited::type)); // reflection gives methods in no order
        return awaited;
    }
}
