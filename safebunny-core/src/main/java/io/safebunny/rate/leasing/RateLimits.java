// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rate.leasing;

import io.safebunny.breaker.TypeBreaker;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.rate.HandlingRate;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The limits of all types of a node that have a rate. Thread-safe. */
public final class RateLimits implements NodeFeature {

    private static final Logger LOG = LoggerFactory.getLogger(RateLimits.class);

    private final Node node;
    private final boolean isShared;
    private final Map<String, RateLimit> byType = new ConcurrentHashMap<>();

    /** @param isShared whether the store, if there is one, is that of all instances */
    public RateLimits(Node node, boolean isShared) {
        this.node = node;
        this.isShared = isShared && node.store() != null;
    }

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    /**
     * Limits a type that is about to be consumed.
     *
     * @return {@code null} if it has no rate
     */
    public @Nullable RateLimit of(HandlerDefinition handler, TypeBreaker breaker) {
        HandlingRate rate = handler.rate();
        if (rate == null) {
            return null;
        }
        if (!isShared) {
            LOG.warn(
                    "Each instance handles {} of {} by itself, as there is no store that all instances share [handler={}]: all together handle as many times that. Configure a store, or divide the rate by the number of instances",
                    rate,
                    handler.type(),
                    handler.description());
        }
        RateLimit limit = new RateLimit(handler.type(), rate, breaker, node);
        byType.put(handler.type(), limit);
        return limit;
    }

    /** Ends all waiting; to be called when nothing more is delivered, as it would come back at once. */
    public void stop() {
        byType.values().forEach(RateLimit::stop);
    }

    /** By type. */
    public Map<String, RateLimit.Status> statuses() {
        Map<String, RateLimit.Status> statuses = new TreeMap<>();
        byType.forEach((type, limit) -> statuses.put(type, limit.status(isShared)));
        return statuses;
    }
}
