// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.handler.SagaHandler;
import io.safebunny.incident.writing.JsonLayout;
import io.safebunny.incident.writing.Reproduction.Delivered;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.replay.QueuePoisonMessages.Found;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes what a test delivers of a copy in the poison queue, or refuses one that would not fail in a test as it did. Confined to one thread. */
record Deliveries(Sources sources) {

    private static final String MALFORMED = PoisonReason.MALFORMED_BODY.wireName();

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

    /**
     * What the test delivers.
     *
     * @param handler of the saga that takes it; {@code null} for none
     * @param known id of the saga, if that is no secret, and in any case no secret
     * @throws io.safebunny.failure.MisuseException SB-5027 if that would not fail
     */
    Delivered of(Found found, @Nullable SagaHandler handler, String known) {
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
        if (found.encoded() != null || !Masking.isText(body)) {
            throw Incidents.refused(
                    "this message",
                    id,
                    found.encoded() == null
                            ? "its body is not UTF-8, which no text in a test can repeat"
                            : "its body cannot be decoded, or has more than 4 MiB then",
                    "Look at its exception, and correct its sender.");
        }
        boolean isCorrelated = handler != null && handler.correlation() != null;
        String shown = sources.masking().body(message, body, isCorrelated ? known : null);
        if (handler != null) {
            requireSameSaga(found, handler, shown, known);
        }
        boolean isUnreadable = message.reason().equals(MALFORMED);
        if (isUnreadable) {
            requireFault(found, body, shown, handler);
        }
        return new Delivered(
                found.from(),
                message.type(),
                found.version(),
                isUnreadable ? shown : JsonLayout.lines(shown), // the exception may name line and column
                message.correlationId());
    }

    /** Refuses a mask that leads to another saga, or that would have to give a secret away. */
    private void requireSameSaga(Found found, SagaHandler handler, String shown, String known) {
        byte[] body = Objects.requireNonNull(found.copy().body());
        String own = sources.readability().sagaIn(handler, body, found);
        if (own == null) {
            return;
        }
        Object masked = sources.readability().readText(handler.payloadType(), shown, found.version());
        if (masked == null ? !own.equals(known) : !own.equals(Readability.sagaIn(handler, masked))) {
            throw Incidents.refused(
                    "this message",
                    found.copy().message().messageId(),
                    "the BodyMasker masks the id of its saga, which @CorrelatedBy reads from the body",
                    "Let the BodyMasker show that property, or write the test by hand.");
        }
    }

    /** Refuses a body without what made it unreadable. */
    private void requireFault(Found found, byte[] body, String shown, @Nullable SagaHandler handler) {
        if (shown.equals(new String(body, StandardCharsets.UTF_8))) {
            return;
        }
        PoisonedMessage message = found.copy().message();
        Type payload = handler == null ? sources.poison().payloadOf(message.type()) : handler.payloadType();
        if (JsonLayout.tree(shown) == null
                || payload == null
                || sources.readability().readText(payload, shown, found.version()) != null) {
            throw Incidents.refused(
                    "this message",
                    message.messageId(),
                    "its body cannot be read, and the BodyMasker does not show what is wrong with it",
                    "Let the BodyMasker show more of it, or write the test by hand.");
        }
        sources.masking()
                .addNote(
                        "The body cannot be read, and a part of it is masked, which may have been the fault: write what it was into BODY.");
    }
}
