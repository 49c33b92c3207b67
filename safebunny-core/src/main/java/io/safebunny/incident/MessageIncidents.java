// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.incident.Reproduction.Delivered;
import io.safebunny.incident.Reproduction.Expectation;
import io.safebunny.incident.Reproduction.Subject;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.replay.QueuePoisonMessages.Found;
import io.safebunny.saga.document.SagaDocument;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Gathers what a test of one message in the poison queue needs. Confined to one thread. */
final class MessageIncidents {

    /** More is not put into a test. */
    private static final long LARGEST = 4L << 20;

    private static final String SET_ASIDE_BEFORE = PoisonReason.SET_ASIDE_BEFORE.wireName();

    /** Reasons that are not in the body, or not in the code: a test that delivers the body would not fail. */
    private static final Set<String> NOT_REPEATABLE = Stream.of(
                    PoisonReason.MISSING_PROPERTY,
                    PoisonReason.WRONG_QUEUE,
                    PoisonReason.TOO_OLD,
                    PoisonReason.EXPIRED,
                    PoisonReason.NOT_STORABLE,
                    PoisonReason.UNKNOWN_TYPE)
            .map(PoisonReason::wireName)
            .collect(Collectors.toUnmodifiableSet());

    private final Sources sources;

    MessageIncidents(Sources sources) {
        this.sources = sources;
    }

    @Nullable
    Reproduction of(String messageId, @Nullable String digest) {
        Found found = copy(messageId, digest);
        if (found == null) {
            return null;
        }
        PoisonedMessage message = found.copy().message();
        for (SagaDefinition saga : sources.sagas().definitions()) {
            for (SagaHandler handler : saga.handlers()) {
                if (handler.type().equals(message.type())) {
                    return ofSagaMessage(found, saga, handler);
                }
            }
        }
        return of(found, null, sources.poison().payloadOf(message.type()));
    }

    /** The copy that tells most; {@code null} if there is none. */
    @Nullable
    Found copy(String messageId, @Nullable String digest) {
        return sources.poison().found(messageId, LARGEST).stream()
                .filter(found ->
                        digest == null || found.copy().message().digest().equals(digest))
                .min(Comparator.comparing(
                        (Found found) -> found.copy().message().reason().equals(SET_ASIDE_BEFORE)))
                .orElse(null);
    }

    /** A message that starts a saga, or to a saga that is not stored. */
    private Reproduction ofSagaMessage(Found found, SagaDefinition saga, SagaHandler handler) {
        PoisonedMessage message = found.copy().message();
        String id = sagaId(found, handler);
        boolean isStored = Names.isCorrelationId(id)
                && sources.node().requireStore().find(SagaDocument.key(saga.name(), id)) != null;
        if (isStored) {
            throw Incidents.refused(
                    "this message",
                    message.messageId(),
                    "it is for saga %s %s, and a test needs the saga, too".formatted(saga.name(), id),
                    "Use GET safebunny/sagas/%s?as=test.".formatted(id));
        }
        SagaClass type = SagaClass.of(saga.description());
        Subject subject = new Subject(saga.name(), id, null, type.construction());
        return of(found, new Made(subject, type.home()), handler.payloadType());
    }

    /** As its {@code @CorrelatedBy} reads it, or else its correlation id. */
    private String sagaId(Found found, SagaHandler handler) {
        Function<Object, @Nullable String> correlation = handler.correlation();
        byte[] body = found.copy().body();
        String id = found.copy().message().correlationId();
        if (correlation == null || body == null) {
            return id;
        }
        Object payload = sources.readability().read(handler.payloadType(), body, found.contentType());
        try {
            String own = payload == null ? null : correlation.apply(payload);
            return own == null ? id : own;
        } catch (RuntimeException e) { // the payload does not fit the expression
            return id;
        }
    }

    /** The saga of a message, and the package of its class. */
    private record Made(Subject saga, String home) {}

    private Reproduction of(Found found, @Nullable Made made, @Nullable Type payload) {
        PoisonedMessage message = found.copy().message();
        Delivered delivered = delivered(found);
        List<String> comment = new ArrayList<>();
        comment.add(
                made == null
                        ? "A message that node %s could not handle."
                                .formatted(sources.node().name())
                        : "A message to saga %s %s, which is not stored."
                                .formatted(
                                        made.saga().name(),
                                        Names.printable(made.saga().id())));
        comment.addAll(about(found, delivered, payload));
        String where =
                made == null ? sources.home() : made.saga().construction() == null ? sources.home() : made.home();
        comment.addAll(notes(where, made != null && made.saga().construction() != null));
        return new Reproduction(
                message.type(),
                where,
                sources.node().name(),
                made == null ? null : made.saga(),
                delivered,
                Duration.ZERO,
                Expectation.NOTHING_SET_ASIDE,
                comment);
    }

    /** What production saw of the message, and what is different in the test. */
    List<String> about(Found found, Delivered delivered, @Nullable Type payload) {
        PoisonCopy copy = found.copy();
        List<String> about = new ArrayList<>(sources.witness().of(copy));
        String headers = sources.masking().headers(copy.message());
        if (!headers.isEmpty()) {
            about.add("It had these headers, which the test does not deliver: " + headers);
        }
        if (copy.message().reason().equals(PoisonReason.DELIVERY_LIMIT.wireName())) {
            about.add("Each process that handled it ended: so may the process that runs this test.");
        }
        Optional.ofNullable(sources.readability()
                        .ofBody(payload, Objects.requireNonNull(copy.body()), found.contentType(), delivered.body()))
                .ifPresent(about::add);
        return about;
    }

    /**
     * What the test delivers.
     *
     * @throws io.safebunny.failure.MisuseException SB-5027 if that would not fail
     */
    Delivered delivered(Found found) {
        PoisonedMessage message = found.copy().message();
        String id = message.messageId();
        if (NOT_REPEATABLE.contains(message.reason())) {
            throw Incidents.refused(
                    "this message",
                    id,
                    "it was set aside because of %s, which is not in its body".formatted(message.reason()),
                    "docs/poison.md says what to do about that reason.");
        }
        byte[] body = found.copy().body();
        if (body == null) {
            throw Incidents.refused(
                    "this message",
                    id,
                    "its body, or those of its copies, have more than 4 MiB",
                    "Write one with a smaller body.");
        }
        if (!Names.isNode(found.from())
                || !Names.isType(message.type())
                || !Names.isCorrelationId(message.correlationId())) {
            throw Incidents.refused(
                    "this message",
                    id,
                    "its sender, type or correlation id is not one that a node can have",
                    "Correct its sender.");
        }
        String shown = sources.masking().body(message, body);
        boolean isUnreadable = message.reason().equals(PoisonReason.MALFORMED_BODY.wireName());
        return new Delivered(
                found.from(),
                message.type(),
                isUnreadable ? shown : JsonLayout.lines(shown), // the exception may name line and column
                message.correlationId());
    }

    /** What was masked, and where the test goes. */
    List<String> notes(String where, boolean isScenario) {
        List<String> notes = new ArrayList<>(sources.masking().told());
        if (where.isEmpty()) {
            notes.add("Put it into a package of the application's tests.");
        }
        if (!isScenario) {
            notes.add("It starts the application: give it test doubles of what it needs from outside.");
        }
        notes.add("It fails as long as the fault is there, and says where; it passes once the fault is mended.");
        return notes;
    }
}
