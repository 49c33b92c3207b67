// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyRetry;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.message.Names;
import io.safebunny.rate.HandlingRate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Attributes of a handler with placeholders resolved: those of the method, or else of its class, or else of the properties. */
final class HandlerAttributes {

    private static final int MAX_PREFETCH = 2000;
    private static final int MOST_PER_TRANSACTION = 32;
    private static final int LARGEST_BATCH = 200;
    private static final List<String> NONE = List.of("none");

    private final Function<String, @Nullable String> placeholders;
    private final HandlerDefaults defaults;

    HandlerAttributes(Function<String, @Nullable String> placeholders, HandlerDefaults defaults) {
        this.placeholders = placeholders;
        this.defaults = defaults;
    }

    List<String> from(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        List<String> from = list(where, ofMethod.from(), ofClass == null ? new String[0] : ofClass.from());
        if (from.isEmpty()) {
            throw new ConfigurationException(
                    "SB-1105",
                    "A handler must name the node that publishes its messages [handler=%s, attribute=from]."
                            .formatted(where),
                    "Name it: @BunnyHandler(from = \"orders\").");
        }
        from.forEach(node -> Names.requireNode(node, "from of " + where));
        return from.stream().distinct().toList();
    }

    /** The nodes, of which there may be none. */
    List<String> participants(String saga, String[] nodes) {
        List<String> participants = list(saga, nodes, new String[0]);
        participants.forEach(node -> Names.requireNode(node, "participants of " + saga));
        return participants;
    }

    int prefetch(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        return number(where, "prefetch", prefetchText(where, ofMethod, ofClass), defaults.prefetch(), MAX_PREFETCH);
    }

    /** So many that the next batch waits while one is handled, unless the handler says otherwise. */
    int prefetch(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass, int batchSize) {
        String text = prefetchText(where, ofMethod, ofClass);
        int prefetch = number(where, "prefetch", text, Math.max(defaults.prefetch(), 2 * batchSize), MAX_PREFETCH);
        if (prefetch < batchSize) {
            throw invalid(
                    where,
                    "prefetch",
                    text,
                    "at least the batchSize, which is %s: no more can wait".formatted(batchSize),
                    null);
        }
        return prefetch;
    }

    private String prefetchText(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        return first(where, ofMethod.prefetch(), ofClass == null ? "" : ofClass.prefetch());
    }

    int messagesPerTransaction(String where, String type, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        if (!ofMethod.batchSize().isEmpty()) {
            throw invalid(
                    where,
                    "batchSize",
                    ofMethod.batchSize(),
                    "absent, as the handler takes one message; one that takes batches has a List<…> parameter",
                    null);
        }
        String text = perTransactionText(where, ofMethod, ofClass);
        int most =
                number(where, "messagesPerTransaction", text, defaults.messagesPerTransaction(), MOST_PER_TRANSACTION);
        if (most > 1 && !text.isEmpty()) {
            refuseRate(
                    where,
                    type,
                    ofMethod,
                    ofClass,
                    "absent with messagesPerTransaction=%s, or none: they share one transaction when they come"
                            .formatted(most));
        }
        return rate(where, type, ofMethod, ofClass) == null ? most : 1;
    }

    /** Of a handler that takes a list of messages. */
    int batchSize(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        String perTransaction = perTransactionText(where, ofMethod, ofClass);
        if (!perTransaction.isEmpty() && !perTransaction.equals("1")) {
            throw invalid(
                    where,
                    "messagesPerTransaction",
                    perTransaction,
                    "1 for a batch handler, or absent: a batch has one transaction anyway",
                    null);
        }
        String text = first(where, ofMethod.batchSize(), ofClass == null ? "" : ofClass.batchSize());
        return number(where, "batchSize", text, defaults.batchSize(), LARGEST_BATCH);
    }

    String perTransactionText(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        return first(where, ofMethod.messagesPerTransaction(), ofClass == null ? "" : ofClass.messagesPerTransaction());
    }

    /** Two messages of one saga change one document, and each must see what the other one has committed. */
    void refuseGroups(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        String text = perTransactionText(where, ofMethod, ofClass);
        if (!text.isEmpty() && !text.equals("1")) {
            throw invalid(where, "messagesPerTransaction", text, "1 for a saga, or absent", null);
        }
        if (!ofMethod.batchSize().isEmpty()) {
            throw invalid(where, "batchSize", ofMethod.batchSize(), "absent for a saga", null);
        }
    }

    /** {@code null} for none. The property takes precedence, so that operators can slow a type down. */
    @Nullable
    HandlingRate rate(String where, String type, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        String property = defaults.rateOf(type);
        String text =
                property == null ? first(where, ofMethod.rate(), ofClass == null ? "" : ofClass.rate()) : property;
        try {
            return text.isEmpty() ? null : HandlingRate.parse(text);
        } catch (IllegalArgumentException e) {
            throw invalidRate(where, type, text, property != null, HandlingRate.SYNTAX);
        }
    }

    /** All messages of a batch begin at once. */
    void refuseRate(String where, String type, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        refuseRate(
                where, type, ofMethod, ofClass, "absent for a batch handler, or none: its messages begin all at once");
    }

    private void refuseRate(
            String where, String type, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass, String needed) {
        HandlingRate rate = rate(where, type, ofMethod, ofClass);
        if (rate != null) {
            throw invalidRate(where, type, rate.toString(), defaults.rateOf(type) != null, needed);
        }
    }

    private static ConfigurationException invalidRate(
            String where, String type, String found, boolean isProperty, String needed) {
        return isProperty
                ? new ConfigurationException(
                        "SB-1105",
                        "Invalid rate [handler=%s, safebunny.listener.rates.%s=%s]: it must be %s."
                                .formatted(where, type, found, needed),
                        "Correct the property safebunny.listener.rates.%s, or remove it.".formatted(type))
                : invalid(where, "rate", found, needed, null);
    }

    /** 1 to {@code most}. */
    static int number(String where, String attribute, String text, int otherwise, int most) {
        String needed = "1 to " + most;
        int number;
        try {
            number = text.isEmpty() ? otherwise : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw invalid(where, attribute, text, needed, e);
        }
        if (number < 1 || number > most) {
            throw invalid(where, attribute, String.valueOf(number), needed, null);
        }
        return number;
    }

    RecoveryPolicy recovery(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        return new RecoveryPolicy(
                inMemory(where, ofMethod.retry(), ofClass == null ? null : ofClass.retry()),
                delayed(where, ofMethod, ofClass),
                classes(ofMethod.retryFor(), ofClass == null ? List.of() : List.of(ofClass.retryFor())),
                classes(ofMethod.noRetryFor(), ofClass == null ? List.of() : List.of(ofClass.noRetryFor())));
    }

    private static List<Class<? extends Throwable>> classes(
            Class<? extends Throwable>[] ofMethod, List<Class<? extends Throwable>> ofClass) {
        return ofMethod.length > 0 ? List.of(ofMethod) : ofClass;
    }

    private RetryStrategy inMemory(String where, BunnyRetry ofMethod, @Nullable BunnyRetry ofClass) {
        RetrySettings base = defaults.retry();
        if (ofClass != null) {
            base = override(where, base, ofClass);
        }
        return override(where, base, ofMethod).toStrategy();
    }

    private RetrySettings override(String where, RetrySettings base, BunnyRetry retry) {
        try {
            return new RetrySettings(
                    parsed(where, "retry.maxRetries", retry.maxRetries(), Integer::parseInt, base.maxRetries()),
                    parsed(
                            where,
                            "retry.initialInterval",
                            retry.initialInterval(),
                            HandlerAttributes::duration,
                            base.initialInterval()),
                    parsed(where, "retry.multiplier", retry.multiplier(), Double::parseDouble, base.multiplier()),
                    parsed(
                            where,
                            "retry.maxInterval",
                            retry.maxInterval(),
                            HandlerAttributes::duration,
                            base.maxInterval()),
                    parsed(where, "retry.jitter", retry.jitter(), Double::parseDouble, base.jitter()));
        } catch (ConfigurationException e) {
            throw e;
        } catch (MisuseException e) {
            throw invalid(where, "retry", String.valueOf(retry), e.messageWithoutCode(), e);
        }
    }

    private RetryStrategy delayed(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        List<String> delays =
                list(where, ofMethod.delayedRetries(), ofClass == null ? new String[0] : ofClass.delayedRetries());
        if (delays.isEmpty()) {
            return defaults.delayedRetry();
        }
        if (delays.equals(NONE)) {
            return RetryStrategy.none();
        }
        return new RetryStrategy(
                delays.stream()
                        .map(delay -> parse(where, "delayedRetries", delay, HandlerAttributes::duration))
                        .toList(),
                defaults.delayedRetry().jitter());
    }

    private List<String> list(String where, String[] ofMethod, String[] ofClass) {
        List<String> values = new ArrayList<>();
        for (String value : ofMethod.length > 0 ? ofMethod : ofClass) {
            Arrays.stream(resolve(where, value).split(",", -1))
                    .map(String::trim)
                    .filter(element -> !element.isEmpty())
                    .forEach(values::add);
        }
        return values;
    }

    /** Resolved: what the method says, or else its class; empty if neither does. */
    String first(String where, String ofMethod, String ofClass) {
        return resolve(where, ofMethod.isEmpty() ? ofClass : ofMethod).trim();
    }

    private <T> T parsed(String where, String attribute, String text, Function<String, T> parser, T otherwise) {
        String resolved = resolve(where, text).trim();
        return resolved.isEmpty() ? otherwise : parse(where, attribute, resolved, parser);
    }

    private static <T> T parse(String where, String attribute, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (RuntimeException e) {
            throw invalid(where, attribute, text, "a value such as 3, 2.0 or 10s", e);
        }
    }

    private static Duration duration(String text) {
        Duration duration = DurationFormatterUtils.detectAndParse(text, DurationFormat.Unit.MILLIS);
        if (duration.isNegative()) {
            // rethrown with the attribute's name
            throw new MisuseException(MisuseException.ARGUMENT, "negative duration");
        }
        return duration;
    }

    private String resolve(String where, String text) {
        if (text.isEmpty()) {
            return text;
        }
        try {
            String resolved = placeholders.apply(text);
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException(
                    "SB-1105",
                    "Unresolved placeholder [handler=%s, value=%s]: its property must be set.".formatted(where, text),
                    "Define the property, or give a default: ${name:default}.",
                    e);
        }
    }

    static ConfigurationException invalid(
            String where, String attribute, String found, String needed, @Nullable Throwable cause) {
        return new ConfigurationException(
                "SB-1105",
                "Invalid attribute [handler=%s, %s=%s]: it must be %s.".formatted(where, attribute, found, needed),
                "Correct @BunnyHandler(%s = …), on the method, on its class or in the property its placeholder names."
                        .formatted(attribute),
                cause);
    }
}
