// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.incident.writing.JsonLayout;
import io.safebunny.incident.writing.Reproduction;
import io.safebunny.incident.writing.Reproduction.Delivered;
import io.safebunny.incident.writing.Reproduction.Expectation;
import io.safebunny.incident.writing.Reproduction.Name;
import io.safebunny.incident.writing.Reproduction.Subject;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.poison.replay.QueuePoisonMessages.Found;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.document.SagaCopy;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Gathers what a test of one saga needs: the saga as it was before it went wrong, and what made it go wrong. Confined to one thread. */
final class SagaIncidents {

    private final Sources sources;
    private final MessageIncidents messages;
    private final ParticipantIncidents participants;

    SagaIncidents(Sources sources) {
        this.sources = sources;
        this.messages = new MessageIncidents(sources);
        this.participants = new ParticipantIncidents(sources, messages);
    }

    @Nullable
    Reproduction of(String saga, String id) {
        SagaDefinition definition = sources.sagas().definitions().stream()
                .filter(one -> one.name().equals(saga))
                .findFirst()
                .orElseThrow(() -> unknown(saga));
        MessageRecord stored = sources.node().requireStore().find(SagaDocument.key(saga, id));
        return stored == null
                ? null
                : of(new StoredSaga(
                        definition,
                        SagaDocument.read(saga, stored),
                        sources.node().name()));
    }

    private MisuseException unknown(String saga) {
        return new MisuseException(
                MisuseException.SAGA,
                "This node has no such saga [saga=%s]: it has %s. Use one of these names."
                        .formatted(
                                Names.printable(saga),
                                sources.sagas().definitions().stream()
                                        .map(SagaDefinition::name)
                                        .sorted()
                                        .toList()));
    }

    private Reproduction of(StoredSaga saga) {
        return switch (saga.view().status()) {
            case STUCK -> stuck(saga);
            case COMPENSATION_FAILED -> blocked(saga);
            case ACTIVE -> saga.view().blockedOn().isEmpty() ? waiting(saga) : blocked(saga);
            case COMPENSATING, FAILED -> failed(saga);
            case COMPLETED ->
                throw saga.refused(
                        "it is completed, so nothing has failed",
                        "If it should not be, its history tells what it did.");
        };
    }

    /** A message to the saga was set aside, so the test delivers it again. */
    private Reproduction stuck(StoredSaga saga) {
        String messageId = Objects.requireNonNullElse(saga.document().stuckOn(), "");
        Found found = messages.copy(messageId, null);
        boolean isTimeout = saga.document().timeouts().hasToken(messageId);
        if (found == null && !isTimeout) {
            throw saga.refused(
                    "the message on which it is stuck, %s, is not in the poison queue of node %s"
                            .formatted(messageId, sources.node().name()),
                    "If another request is reading the queue, try again; if the message was moved, replay it or resume the saga.");
        }
        String type =
                found == null ? SagaMessages.TIMEOUT : found.copy().message().type();
        if (!isTimeout && MessageTypes.isReserved(type)) {
            throw saga.refused(
                    "it is stuck on SafeBunny's own message %s, which no test can deliver".formatted(type),
                    "GET safebunnypoison/%s has its exception.".formatted(messageId));
        }
        saga.document().unstick();
        SagaHandler handler = saga.handlerOf(type);
        Delivered delivered = isTimeout
                ? null
                : new Deliveries(sources)
                        .of(Objects.requireNonNull(found), handler, saga.view().id());
        List<String> comment = new ArrayList<>();
        comment.add(saga.title()
                + (isTimeout
                        ? " One of its timeouts is over, and its method failed."
                        : " The test begins with the saga as it was before the message that failed."));
        if (found != null) {
            comment.addAll(
                    delivered == null
                            ? sources.witness().of(found.copy())
                            : messages.about(found, delivered, handler == null ? null : handler.payloadType()));
        }
        return reproduction(
                saga,
                saga.document().changedAt(),
                new Action(delivered, Duration.ZERO, Expectation.NOTHING_SET_ASIDE, messages.whyApplication(found)),
                comment);
    }

    /** A participant has set aside a command or an undo: the fault is in its handler. */
    private Reproduction blocked(StoredSaga saga) {
        BlockedOn block = saga.view().blockedOn().stream()
                .filter(one -> saga.document().steps().sender(one.messageId()) != null)
                .findFirst()
                .orElseThrow(() -> saga.refused(
                        "it waits for %s, which it did not send with a step"
                                .formatted(saga.view().blockedOn().stream()
                                        .map(BlockedOn::type)
                                        .toList()),
                        "Look at the message where it was set aside."));
        return participants.of(saga, block);
    }

    /** The saga has failed, so the test repeats what made it fail. */
    private Reproduction failed(StoredSaga saga) {
        Cause cause = Cause.of(saga);
        if (cause.news() != null) {
            return participants.of(saga, cause.news());
        }
        saga.revive(cause.done());
        List<String> comment = new ArrayList<>();
        comment.add("%s %s made it fail at %s, with this reason:".formatted(saga.title(), cause.words(), cause.at()));
        comment.add(Names.printable(String.valueOf(saga.view().reason()), 300));
        comment.add(
                cause.starts()
                        ? "The message started it, so the test begins without the saga."
                        : "Its state is as it was after it had failed, and its other timeouts are gone: what it was before is not stored.");
        Delivered delivered = null;
        if (cause.timeout() != null) {
            saga.document().timeouts().put(cause.timeout(), cause.armed());
        } else {
            SagaHandler handler = saga.handlerOf(cause.type());
            delivered = new Delivered(
                    cause.from(),
                    cause.type(),
                    handler == null ? 1 : BodyVersions.of(handler.payloadType()).present(),
                    "Write the JSON of this %s here: it was handled, so it is not stored any more."
                            .formatted(cause.type()),
                    saga.view().id());
            comment.add(
                    "The message was handled, so its body is not stored any more. Write it into BODY: until then, the test fails because BODY is no JSON.");
        }
        return reproduction(
                saga,
                cause.starts() ? null : cause.at(),
                new Action(delivered, Duration.ZERO, Expectation.NOT_FAILED, messages.whyApplication(null)),
                comment);
    }

    /** Nothing of the saga has failed, so the test lets its timeouts end. */
    private Reproduction waiting(StoredSaga saga) {
        Instant since = saga.document().changedAt();
        Instant last = saga.view().timeouts().values().stream()
                .max(Instant::compareTo)
                .filter(since::isBefore)
                .orElse(since);
        List<String> comment = new ArrayList<>();
        comment.add("%s It has waited since %s, and none of its messages is known to be set aside."
                .formatted(saga.title(), since));
        comment.add("It takes these messages: %s."
                .formatted(saga.definition().handlers().stream()
                        .filter(handler -> !handler.onlyStarts())
                        .map(handler -> "%s from %s".formatted(handler.type(), String.join(" or ", handler.from())))
                        .sorted()
                        .toList()));
        comment.add(
                saga.view().timeouts().isEmpty()
                        ? "It has no timeout, so it waits for ever. Deliver what should have come, and demand what should happen then."
                        : "The test delivers none of them, and lets its timeouts end, %s: then it should not wait any more."
                                .formatted(saga.view().timeouts()));
        return reproduction(
                saga,
                since,
                new Action(null, Duration.between(since, last), Expectation.ENDED, messages.whyApplication(null)),
                comment);
    }

    /**
     * What a test does with a saga.
     *
     * @param whyApplication why it needs the application; {@code null} if the saga alone can do it
     */
    private record Action(
            @Nullable Delivered delivered,
            Duration advance,
            Expectation expectation,
            @Nullable String whyApplication) {}

    /** @param changedAt {@code null} if the test begins without the saga */
    private Reproduction reproduction(StoredSaga saga, @Nullable Instant changedAt, Action action, List<String> seen) {
        SagaDocument document = saga.document();
        List<String> comment = new ArrayList<>(seen);
        String stored = changedAt == null ? null : stored(saga, changedAt, comment);
        SagaClass type = SagaClass.of(saga.definition().description());
        String construction = action.whyApplication() == null ? type.construction() : null;
        boolean isScenario = construction != null;
        if (!isScenario) {
            comment.add(MessageIncidents.becauseOf(
                    action.whyApplication() != null
                            ? action.whyApplication()
                            : "only that can make a %s, to judge by its class"
                                    .formatted(saga.definition().name())));
        }
        String home = isScenario ? type.home() : sources.home();
        comment.addAll(messages.notes(home, isScenario));
        return new Reproduction(
                new Name(document.saga(), saga.identity(stuckOn(saga))),
                home,
                sources.node().name(),
                new Subject(document.saga(), document.id(), stored, construction),
                action.delivered(),
                action.advance(),
                action.expectation(),
                comment);
    }

    private static String stuckOn(StoredSaga saga) {
        return saga.view().stuckOn() == null ? "" : saga.view().stuckOn().messageId();
    }

    /** The saga with which the test begins, masked. */
    private String stored(StoredSaga saga, Instant changedAt, List<String> comment) {
        if (saga.view().encrypted()) {
            throw saga.refused(
                    "its state is encrypted, and a test would have it in clear",
                    "Write the test by hand: the history of the saga tells what happened.");
        }
        Masking masking = sources.masking();
        SagaDocument document = saga.document();
        String masked =
                SagaCopy.write(document, changedAt, state -> masking.state(saga.view(), state), masking::message);
        String unmasked = SagaCopy.write(document, changedAt, UnaryOperator.identity(), UnaryOperator.identity());
        String unreadable = sources.readability().ofState(saga.definition(), document.id(), unmasked, masked);
        if (unreadable != null) {
            comment.add(unreadable);
        }
        return JsonLayout.lines(masked);
    }
}
