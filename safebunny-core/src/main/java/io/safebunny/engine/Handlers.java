// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.message.MessageTypes;
import io.safebunny.topology.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** All handlers of a node. */
record Handlers(List<HandlerDefinition> all) {

    private static final int MOST_NAMED = 20;
    private static final Duration HASTY = Duration.ofMillis(100);

    Handlers {
        all = List.copyOf(all);
    }

    Set<String> types() {
        return all.stream().map(HandlerDefinition::type).collect(Collectors.toUnmodifiableSet());
    }

    List<Subscription> subscriptions() {
        return all.stream()
                .map(handler -> new Subscription(handler.type(), handler.from()))
                .toList();
    }

    /**
     * A message older than the retention is set aside, so a later retry would never happen.
     *
     * @throws ConfigurationException SB-1306
     */
    void requireRetriesWithin(Duration retention) {
        all.forEach(handler -> requireWithin(retention, handler));
    }

    private static void requireWithin(Duration retention, HandlerDefinition handler) {
        RetryStrategy delayed = handler.recovery().delayed();
        Duration all = delayed.total();
        if (all.compareTo(retention) >= 0) {
            throw new ConfigurationException(
                    "SB-1306",
                    "The delayed retries of %s take longer than handled messages are remembered [retries=%s, safebunny.dedup.retention=%s]."
                            .formatted(handler.description(), all, retention),
                    "Raise safebunny.dedup.retention, or shorten safebunny.delayed-retry or the handler's own retries.");
        }
    }

    /** Delayed retries, with their handlers, that are suspiciously short: somebody may have forgotten to write the unit. */
    List<String> hastyRetries() {
        return all.stream()
                .filter(handler -> handler.recovery().delayed().delays().stream()
                        .anyMatch(delay -> !delay.isZero() && delay.compareTo(HASTY) < 0))
                .map(handler -> "%s of %s".formatted(describe(handler.recovery().delayed()), handler.description()))
                .toList();
    }

    /** A text about what this node consumes, for the error about a message that nobody consumes; empty if it consumes nothing. */
    String taken(String node, String type) {
        for (HandlerDefinition handler : all) {
            if (handler.type().equals(type)) {
                return "This node itself takes %s, but from %s and not from %s, as which it publishes."
                        .formatted(type, handler.from(), node);
            }
        }
        List<HandlerDefinition> own = all.stream()
                .filter(handler -> !MessageTypes.isReserved(handler.type()))
                .toList();
        return own.isEmpty()
                ? ""
                : own.stream()
                        .limit(MOST_NAMED)
                        .map(handler -> handler.type() + " from " + handler.from())
                        .collect(Collectors.joining(
                                ", ", "This node itself takes ", own.size() > MOST_NAMED ? " and others." : "."));
    }

    /** All handlers, one line each, for the log. */
    String describe(TrustedUsers trustedUsers) {
        if (all.isEmpty()) {
            return " nothing: it only publishes";
        }
        return all.stream()
                .map(handler -> "%n  %s from %s%s, prefetch %s%s, in-memory retries %s, delayed retries %s: %s"
                        .formatted(
                                handler.type(),
                                handler.from(),
                                trustedUsers.isChecked(handler.from()) ? " (by their users)" : "",
                                handler.prefetch(),
                                describe(handler.grouping()),
                                handler.recovery().inMemory().maxRetries(),
                                describe(handler.recovery().delayed()),
                                handler.description()))
                .collect(Collectors.joining());
    }

    private static String describe(Grouping grouping) {
        if (grouping.isBatch()) {
            return ", batches up to " + grouping.most();
        }
        return grouping.most() == 1 ? "" : ", messages per transaction " + grouping.most();
    }

    private static String describe(RetryStrategy delayed) {
        return delayed.delays().stream()
                .map(delay -> delay.toString().substring("PT".length()).toLowerCase(Locale.ROOT))
                .toList()
                .toString();
    }
}
