// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.failure.ConfigurationException;
import java.lang.reflect.Type;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * How long messages of a class may be handled, and what becomes of expired ones, as {@link BunnyMessage} says. Immutable; inspects each class
 * only once.
 *
 * @param lasts {@code null} if they have no deadline of their own
 * @param expired what becomes of those for which there is no method
 */
public record Validity(@Nullable Duration lasts, Expired expired) {

    /** The longest time from when a message is due to its deadline. */
    public static final Duration LONGEST = Duration.ofDays(365);

    private static final Validity UNLIMITED = new Validity(null, Expired.POISON);

    private static final ClassValue<Validity> KNOWN = new ClassValue<>() {
        @Override
        protected Validity computeValue(Class<?> type) {
            BunnyMessage message = type.getDeclaredAnnotation(BunnyMessage.class);
            return message == null
                    ? UNLIMITED
                    : new Validity(
                            message.validFor().isBlank() ? null : parse(type, message.validFor()), message.expired());
        }
    };

    /** @throws ConfigurationException SB-1119 if its {@code validFor} is invalid */
    public static Validity of(Class<?> type) {
        return KNOWN.get(type);
    }

    /** @throws ConfigurationException SB-1119 if the {@code validFor} of its class is invalid */
    public static Validity ofPayload(Type type) {
        return of(ResolvableType.forType(type).resolve(Object.class));
    }

    private static Duration parse(Class<?> type, String text) {
        Duration lasts;
        try {
            if (Character.isDigit(text.charAt(text.length() - 1))) {
                throw invalid(type, text, null);
            }
            lasts = DurationFormatterUtils.detectAndParse(text, DurationFormat.Unit.MILLIS);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw invalid(type, text, e);
        }
        if (lasts.compareTo(Duration.ofMillis(1)) < 0 || lasts.compareTo(LONGEST) > 0) {
            throw invalid(type, text, null);
        }
        return lasts;
    }

    private static ConfigurationException invalid(Class<?> type, String text, @Nullable Throwable cause) {
        return new ConfigurationException(
                "SB-1119",
                "Invalid attribute [class=%s, validFor=%s]: it must be 1 ms to 365 days, with a unit."
                        .formatted(type.getName(), text),
                "Correct @BunnyMessage(validFor = \"30s\") on the class.",
                cause);
    }
}
