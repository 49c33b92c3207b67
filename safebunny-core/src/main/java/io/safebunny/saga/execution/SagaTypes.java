// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.failure.policy.NotHandledException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The saga classes of a node. Immutable. */
final class SagaTypes {

    private static final Duration DEPLOYMENT = Duration.ofMinutes(15);

    private final Map<String, SagaType> byName = new LinkedHashMap<>();

    SagaTypes(List<SagaType> types) {
        types.forEach(type -> byName.put(type.name(), type));
    }

    Collection<SagaType> all() {
        return byName.values();
    }

    Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    @Nullable
    SagaType find(String name) {
        return byName.get(name);
    }

    /**
     * @throws NotHandledException if this instance does not have the saga: an instance of another version of the application must handle
     *     the message
     */
    SagaType require(String name) {
        SagaType type = byName.get(name);
        if (type == null) {
            throw NotHandledException.byThisVersion(
                    "This instance has no saga %s: the message waits for an instance that has".formatted(name));
        }
        return type;
    }

    /**
     * Whether another instance may know a saga, or a method, that this one does not, because two versions of the application are running.
     */
    static boolean mayBeDeploying(MessageContext context, Instant now) {
        return mayBeDeploying(firstLook(context, now), now);
    }

    /** @param since the result of {@link #firstLook}; if it is far in the future, it comes from another clock */
    static boolean mayBeDeploying(Instant since, Instant now) {
        return Duration.between(since, now).abs().compareTo(DEPLOYMENT) < 0;
    }

    /**
     * When an instance that did not know what to do with this message first received it; kept in the message's record. The age of the
     * message cannot be used instead, because the message may have waited in its queue for longer than a deployment takes.
     */
    static Instant firstLook(MessageContext context, Instant now) {
        return Instant.ofEpochMilli(context.once("first look", Long.class, now::toEpochMilli));
    }
}
