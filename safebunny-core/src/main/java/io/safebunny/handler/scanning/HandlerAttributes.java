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

    int messagesPerTransaction(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        if (!ofMethod.batchSize().isEmpty()) {
            throw invalid(
                    where,
                    "batchSize",
                    ofMethod.batchSize(),
                    "absent, as the handler takes one message; one that takes batches has a List<…> parameter",
                    null);
        }
        String text = perTransactionText(where, ofMethod, ofClass);
        return number(where, "messagesPerTransaction", text, defaults.messagesPerTransaction(), MOST_PER_TRANSACTION);
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

    private String perTransactionText(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
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

    /** 1 to {@code most}. */
    private static int number(String where, String attribute, String text, int otherwise, int most) {
        int number = text.isEmpty() ? otherwise : parse(where, attribute, text, Integer::parseInt);
        if (number < 1 || number > most) {
            throw invalid(where, attribute, String.valueOf(number), "1 to " + most, null);
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

    private String first(String where, String ofMethod, String ofClass) {
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

    private static ConfigurationException invalid(
            String where, String attribute, String found, String needed, @Nullable Throwable cause) {
        return new ConfigurationException(
                "SB-1105",
                "Invalid attribute [handler=%s, %s=%s]: it must be %s.".formatted(where, attribute, found, needed),
                "Correct @BunnyHandler(%s = …), on the method, on its class or in the property its placeholder names."
                        .formatted(attribute),
                cause);
    }
}
