// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.incident.writing.Reproduction;
import io.safebunny.incident.writing.Reproduction.Delivered;
import io.safebunny.incident.writing.Reproduction.Expectation;
import io.safebunny.incident.writing.Reproduction.Name;
import io.safebunny.incident.writing.Reproduction.Subject;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.replay.QueuePoisonMessages.Found;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.record.MessageRecord;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Gathers what a test of one message in the poison queue needs. Confined to one thread. */
final class MessageIncidents {

    /** More is not put into a test. */
    private static final long LARGEST = 4L << 20;

    private static final String SET_ASIDE_BEFORE = PoisonReason.SET_ASIDE_BEFORE.wireName();
    private static final String MALFORMED = PoisonReason.MALFORMED_BODY.wireName();
    private static final String TOO_LARGE = PoisonReason.TOO_LARGE.wireName();

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
                .map(this::decoded)
                .orElse(null);
    }

    /** The copy with its body decoded, unless that cannot be done. */
    private Found decoded(Found found) {
        PoisonCopy copy = found.copy();
        WireMessage encoded = found.encoded();
        if (copy.body() == null || encoded == null) {
            return found;
        }
        byte[] decoded = sources.masking().decoded(encoded);
        return decoded == null
                ? found
                : new Found(
                        new PoisonCopy(copy.message(), decoded, copy.record()),
                        found.from(),
                        found.contentType(),
                        null,
                        found.version());
    }

    /** A message that starts a saga, or to a saga that is not stored. */
    private Reproduction ofSagaMessage(Found found, SagaDefinition saga, SagaHandler handler) {
        PoisonedMessage message = found.copy().message();
        byte[] body = found.copy().body();
        String own = body == null ? null : sources.readability().sagaIn(handler, body, found);
        String id = own == null ? message.correlationId() : own;
        MessageRecord stored = Names.isCorrelationId(id)
                ? sources.node().requireStore().find(SagaDocument.key(saga.name(), id))
                : null;
        if (stored != null) {
            throw ofStored(message.messageId(), SagaDocument.read(saga.name(), stored));
        }
        SagaClass type = SagaClass.of(saga.description());
        String why = whyApplication(found);
        Subject subject = new Subject(saga.name(), id, null, why == null ? type.construction() : null);
        return of(found, new Made(subject, type.home(), handler, why), handler.payloadType());
    }

    private static MisuseException ofStored(String messageId, SagaDocument saga) {
        return messageId.equals(saga.stuckOn())
                ? Incidents.refused(
                        "this message",
                        messageId,
                        "it is for saga %s %s, and a test needs the saga, too".formatted(saga.saga(), saga.id()),
                        "Use GET safebunny/sagas/%s?as=test.".formatted(saga.id()))
                : Incidents.refused(
                        "this message",
                        messageId,
                        "it is for saga %s %s, which is %s, and not stuck on it, so what the saga was when the message failed is not stored"
                                .formatted(saga.saga(), saga.id(), saga.status()),
                        "Look at GET safebunny/sagas/%s, and at the exception of this message.".formatted(saga.id()));
    }

    /**
     * Why a test of a saga needs the application; {@code null} if it does not: a scenario has none of its middlewares, and not its mapper.
     *
     * @param found the message that failed; {@code null} if none did
     */
    @Nullable
    String whyApplication(@Nullable Found found) {
        if (!sources.node().parts().consumeMiddlewares().isEmpty()) {
            return "it has middlewares around its handlers";
        }
        PoisonedMessage message = found == null ? null : found.copy().message();
        if (message == null) {
            return null;
        }
        return message.reason().equals(MALFORMED) || message.reason().equals(TOO_LARGE)
                ? "its settings or its JsonMapper may have refused the body"
                : null;
    }

    /**
     * The saga of a message.
     *
     * @param home package of its class
     * @param whyApplication see {@link MessageIncidents#whyApplication}
     */
    private record Made(
            Subject saga,
            String home,
            SagaHandler handler,
            @Nullable String whyApplication) {}

    private Reproduction of(Found found, @Nullable Made made, @Nullable Type payload) {
        PoisonedMessage message = found.copy().message();
        Delivered delivered =
                new Deliveries(sources).of(found, made == null ? null : made.handler(), message.correlationId());
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
        if (made != null && made.whyApplication() != null) {
            comment.add(becauseOf(made.whyApplication()));
        }
        String where =
                made == null ? sources.home() : made.saga().construction() == null ? sources.home() : made.home();
        comment.addAll(notes(where, made != null && made.saga().construction() != null));
        return new Reproduction(
                new Name(message.type(), List.of("MESSAGE", message.messageId(), delivered.body())),
                where,
                sources.node().name(),
                made == null ? null : made.saga(),
                delivered,
                Duration.ZERO,
                Expectation.NOTHING_SET_ASIDE,
                comment);
    }

    static String becauseOf(String whyApplication) {
        return "It is a test of the application, because %s.".formatted(whyApplication);
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
                        .ofBody(payload, Objects.requireNonNull(copy.body()), found, delivered.body()))
                .ifPresent(about::add);
        return about;
    }

    /** What was masked, or that nothing was, and where the test goes. */
    List<String> notes(String where, boolean isScenario) {
        List<String> notes = new ArrayList<>(sources.masking().told());
        if (notes.isEmpty()) {
            notes.add("Nothing in it is masked: its content is in clear.");
        }
        if (where.isEmpty()) {
            notes.add("Put it into a package of the application's tests.");
        }
        if (!isScenario) {
            notes.add("It starts the application: give it test doubles of what it needs from outside.");
        }
        notes.add(
                "It fails as long as the fault is there, and says where; it passes once the fault is mended. If it passes at once, the fault is not in this code: it is in settings, in a middleware, or in what the test does without.");
        return notes;
    }
}
