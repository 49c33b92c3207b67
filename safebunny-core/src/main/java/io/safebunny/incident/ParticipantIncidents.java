// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.incident.writing.JsonLayout;
import io.safebunny.incident.writing.Reproduction;
import io.safebunny.incident.writing.Reproduction.Delivered;
import io.safebunny.incident.writing.Reproduction.Expectation;
import io.safebunny.incident.writing.Reproduction.Name;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.replay.QueuePoisonMessages.Found;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.document.SagaStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Gathers what a test of a participant needs that has set aside a command or an undo of a saga. Confined to one thread. */
final class ParticipantIncidents {

    private final Sources sources;
    private final MessageIncidents messages;

    ParticipantIncidents(Sources sources, MessageIncidents messages) {
        this.sources = sources;
        this.messages = messages;
    }

    /** @param message belongs to a step of the saga */
    Reproduction of(StoredSaga saga, BlockedOn message) {
        String node = message.node();
        boolean isHere = node.equals(sources.node().name());
        List<String> comment = new ArrayList<>();
        comment.add("%s Node %s has set aside its %s %s because of %s, so this is a test of node %s."
                .formatted(saga.title(), node, message.type(), message.messageId(), message.reason(), node));
        Found found = isHere ? messages.copy(message.messageId(), null) : null;
        Delivered delivered;
        if (found == null) {
            delivered = delivered(saga, message);
            comment.add(
                    isHere
                            ? "The exception is not known, because the message is no longer in the poison queue."
                            : "Node %s knows the exception: GET safebunnypoison/%s there, and a test with it: add ?as=test."
                                    .formatted(node, message.messageId()));
        } else {
            delivered = new Deliveries(sources).of(found, null, "");
            comment.addAll(messages.about(found, delivered, sources.poison().payloadOf(delivered.type())));
        }
        String home = isHere ? sources.home() : "";
        comment.addAll(messages.notes(home, false));
        return new Reproduction(
                new Name(delivered.type(), saga.identity(message.messageId())),
                home,
                node,
                null,
                delivered,
                Duration.ZERO,
                Expectation.NOTHING_SET_ASIDE,
                comment);
    }

    /** As the saga keeps it. */
    private Delivered delivered(StoredSaga saga, BlockedOn message) {
        WireMessage sent = sent(Objects.requireNonNull(saga.document().steps().sender(message.messageId())), message);
        String type = String.valueOf(sent.type());
        byte @Nullable [] body = sources.masking().decoded(sent);
        if (body == null) {
            throw saga.refused(
                    "the body of its %s cannot be decoded, or has more than 4 MiB then".formatted(type),
                    "Look at the message in the poison queue of node %s.".formatted(message.node()));
        }
        String shown = sources.masking()
                .body(Masking.described(sent, Names.address(message.node(), type), message.reason()), body, null);
        return new Delivered(
                String.valueOf(sent.appId()),
                type,
                Headers.version(sent.headers()),
                JsonLayout.lines(shown),
                saga.view().id());
    }

    private static WireMessage sent(SagaStep step, BlockedOn message) {
        return step.messageId().equals(message.messageId())
                ? step.command().message()
                : Objects.requireNonNull(step.undo()).message();
    }
}
