// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.MessageTypes;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyPoisoned;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.scheduling.BunnyScheduled;
import io.safebunny.story.NodeStory.Awaited;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a saga waits for. Pure. */
public final class Awaiting {

    /** By which a participant acknowledges an undo. */
    public static final String UNDONE = MessageTypes.nameOf(BunnyUndone.class);

    static final String TIMEOUT = MessageTypes.nameOf(BunnyTimeout.class);

    static final String REPAIR = MessageTypes.nameOf(BunnyRepair.class);

    /** What a message of SafeBunny's own is to whoever reads of it: one of a type, and several. */
    private static final Map<String, List<String>> OWN = Map.of(
            TIMEOUT,
            List.of("the end of a timeout", "timeouts"),
            UNDONE,
            List.of("the acknowledgement of an undo", "acknowledgements of undos"),
            REPAIR,
            List.of("a repair by hand", "repairs by hand"),
            MessageTypes.nameOf(BunnyPoisoned.class),
            List.of("the news of a message that was set aside", "news of messages that were set aside"),
            MessageTypes.nameOf(BunnyScheduled.class),
            List.of("the delivery of a scheduled message", "scheduled messages"));

    /** Types of all messages of SafeBunny's own. */
    public static final Set<String> OWN_TYPES = OWN.keySet();

    /** Types of the messages that keep sagas going whatever they wait for. */
    static final List<String> OF_SAGAS = List.of(UNDONE, TIMEOUT, REPAIR);

    private Awaiting() {}

    /** What one message of this type is, in words; {@code null} if it is one of the application. */
    public static @Nullable String one(String type) {
        List<String> words = OWN.get(type);
        return words == null ? null : words.get(0);
    }

    /** The same of several. */
    public static @Nullable String several(String type) {
        List<String> words = OWN.get(type);
        return words == null ? null : words.get(1);
    }

    public static boolean isTimeout(@Nullable String type) {
        return TIMEOUT.equals(type);
    }

    public static boolean isForSagas(String type) {
        return OF_SAGAS.contains(type);
    }

    /**
     * An active saga waits for what it takes and has not taken yet, as far as its history reaches; one that compensates for the
     * acknowledgement of the undo that it has sent. No other waits for a message.
     */
    public static List<Awaited> of(SagaView saga, List<SagaDefinition> defined) {
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
