// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The types for which a story waits. A node tells which of its types are paused whatever it knows of the id, because it has no record of
 * what waits for its first delivery; which of them matter is seen only when all have told what they know. Pure.
 */
final class WaitedFor {

    private WaitedFor() {}

    static Set<String> in(List<NodeStory> parts) {
        Set<String> handled = new HashSet<>();
        for (NodeStory part : parts) {
            part.messages().stream().filter(WaitedFor::isDone).forEach(message -> handled.add(message.id()));
        }
        Set<String> types = new HashSet<>();
        for (NodeStory part : parts) {
            for (Message message : part.messages()) {
                if (!isDone(message)) {
                    types.add(message.type());
                }
                message.published().stream()
                        .filter(sent -> !handled.contains(sent.id()))
                        .forEach(sent -> types.add(sent.type()));
            }
            part.outbox().forEach(row -> types.add(row.type()));
            part.sagas().stream().filter(saga -> !saga.status().isEnded()).forEach(saga -> {
                types.addAll(Awaiting.OF_SAGAS);
                types(saga, handled).forEach(types::add);
            });
        }
        return types;
    }

    private static boolean isDone(Message message) {
        return switch (message.state()) {
            case HANDLED, UNSENT, UNDONE, EXPIRED, SHREDDED -> true;
            case HANDLING, WAITING, SET_ASIDE -> false;
        };
    }

    private static Stream<String> types(Saga saga, Set<String> handled) {
        return Stream.concat(
                saga.awaited().stream().map(NodeStory.Awaited::type),
                saga.steps().stream().flatMap(step -> {
                    String undo = step.undo();
                    if (step.status() == StepStatus.UNDOING && undo != null) {
                        return Stream.of(undo);
                    }
                    return step.status() == StepStatus.SENT && !handled.contains(step.messageId())
                            ? Stream.of(step.type())
                            : Stream.empty();
                }));
    }

    /** The same without pauses of other types. */
    static NodeStory only(NodeStory part, Set<String> types) {
        return part.withPauses(part.pauses().stream()
                .filter(pause -> types.contains(pause.type()))
                .toList());
    }
}
