// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.topology.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All handlers of a node. */
record Handlers(List<HandlerDefinition> all) {

    private static final int MOST_NAMED = 20;
    private static final Duration HASTY = Duration.ofMillis(100);

    /** @throws ConfigurationException SB-1105 */
    Handlers {
        all = List.copyOf(all);
        all.forEach(Handlers::requireNoRateInOrder);
        all.forEach(Handlers::requireShardsInOrder);
    }

    /** What waits for its turn of a rate would hold up its key, or come back after messages that follow it. */
    private static void requireNoRateInOrder(HandlerDefinition handler) {
        if (handler.rate() != null && handler.ordering().isOrdered()) {
            throw new ConfigurationException(
                    "SB-1105",
                    "A handler that takes its messages in order has a rate [handler=%s, type=%s, rate=%s]: it cannot have both."
                            .formatted(handler.description(), handler.type(), handler.rate()),
                    "Remove one of them: the rate may also be set by safebunny.listener.rates.%s, and none lifts it."
                            .formatted(handler.type()));
        }
    }

    /** Of handlers that are not scanned, too. */
    private static void requireShardsInOrder(HandlerDefinition handler) {
        if (handler.sharding() != null && !handler.ordering().isOrdered()) {
            throw new ConfigurationException(
                    "SB-1105",
                    "A handler has shards and takes its messages in any order [handler=%s, type=%s, shards=%s]: only what is handled in order is divided."
                            .formatted(
                                    handler.description(),
                                    handler.type(),
                                    handler.sharding().count()),
                    "Set ordered = true, or remove shards.");
        }
    }

    Set<String> types() {
        return all.stream().map(HandlerDefinition::type).collect(Collectors.toUnmodifiableSet());
    }

    List<Subscription> subscriptions() {
        return all.stream().map(HandlerDefinition::subscription).toList();
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

    /** @throws ConfigurationException SB-1120 if a handler takes messages in order */
    void requireNoneOrdered() {
        all.stream()
                .filter(handler -> handler.ordering().isOrdered())
                .findFirst()
                .ifPresent(handler -> {
                    throw new ConfigurationException(
                            "SB-1120",
                            "There is no message store for %s, which takes messages in order: what waits for a message that has failed is kept there."
                                    .formatted(handler.description()),
                            "Add safebunny-jdbc or safebunny-cosmos and set safebunny.store.type, or remove ordered = true.");
                });
    }

    /**
     * Of handlers that hold back what is behind a message in the poison queue, whose copy must be there until it is replayed.
     *
     * @throws ConfigurationException SB-1122
     */
    void requireHeldCanBeReplayed(SafeBunnyOptions options) {
        Duration ttl = options.topology().poison().ttl();
        for (HandlerDefinition handler : all) {
            if (handler.ordering() != Ordering.HOLD) {
                continue;
            }
            if (options.trustedUsers().isChecked(handler.from())) {
                throw new ConfigurationException(
                        "SB-1122",
                        "%s holds back what is behind a message that was set aside, until that is replayed, and messages of trusted users are never replayed [from=%s, safebunny.listener.trusted-users]."
                                .formatted(handler.description(), handler.from()),
                        "Set onPoison = SKIP, or take these nodes out of safebunny.listener.trusted-users.");
            }
            if (ttl != null && ttl.compareTo(options.retention()) < 0) {
                throw new ConfigurationException(
                        "SB-1122",
                        "%s holds back what is behind a message that was set aside, and its copy is deleted too soon to be replayed [safebunny.poison.ttl=%s, safebunny.dedup.retention=%s]."
                                .formatted(handler.description(), ttl, options.retention()),
                        "Set safebunny.poison.ttl to at least safebunny.dedup.retention, or onPoison = SKIP.");
            }
        }
    }

    /**
     * What goes to a shard is a copy, which this node sends under its own user: who sent the original is not proved any more.
     *
     * @throws ConfigurationException SB-1105
     */
    void requireNoneShardedOf(TrustedUsers users) {
        for (HandlerDefinition handler : all) {
            if (handler.sharding() != null && users.isChecked(handler.from())) {
                throw new ConfigurationException(
                        "SB-1105",
                        "%s has shards, and its senders are checked by their broker users [shards=%s, from=%s, safebunny.listener.trusted-users]: what is in a shard was sent there by this node, so that it does not prove who published it."
                                .formatted(
                                        handler.description(),
                                        handler.sharding().count(),
                                        handler.from()),
                        "Remove shards from the handler, or take these nodes out of safebunny.listener.trusted-users.");
            }
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
                .map(handler -> "%n  %s from %s%s, prefetch %s%s%s%s, in-memory retries %s, delayed retries %s: %s"
                        .formatted(
                                handler.type(),
                                handler.from(),
                                trustedUsers.isChecked(handler.from()) ? " (by their users)" : "",
                                handler.prefetch(),
                                describe(handler.grouping()),
                                handler.rate() == null ? "" : ", rate " + handler.rate(),
                                describeOrder(handler),
                                handler.recovery().inMemory().maxRetries(),
                                describe(handler.recovery().delayed()),
                                handler.description()))
                .collect(Collectors.joining());
    }

    private static String describeOrder(HandlerDefinition handler) {
        String divided = describe(handler.sharding());
        return switch (handler.ordering()) {
            case NONE -> "";
            case HOLD -> ", in order" + divided;
            case SKIP -> ", in order" + divided + " but for poison";
        };
    }

    private static String describe(@Nullable Sharding sharding) {
        if (sharding == null) {
            return "";
        }
        String shards = sharding.count() == 1 ? " in 1 shard" : " in %s shards".formatted(sharding.count());
        return sharding.isAll() ? shards : "%s (listens to %s)".formatted(shards, sharding.ranges());
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
