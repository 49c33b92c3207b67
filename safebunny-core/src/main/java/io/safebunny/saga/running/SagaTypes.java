// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.MessageContext;
import io.safebunny.recovery.NotHandledException;
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

    /** @throws NotHandledException this instance does not have it, but one of another version of the application does */
    SagaType require(String name) {
        SagaType type = byName.get(name);
        if (type == null) {
            throw NotHandledException.byThisVersion(
                    "This instance has no saga %s: the message waits for an instance that has".formatted(name));
        }
        return type;
    }

    /** Whether another instance may know what this one does not, because two versions of the application are running. */
    static boolean mayBeDeploying(MessageContext context, Instant now) {
        return mayBeDeploying(firstLook(context, now), now);
    }

    /** @param since from {@link #firstLook}; a time far in the future comes from another clock */
    static boolean mayBeDeploying(Instant since, Instant now) {
        return Duration.between(since, now).abs().compareTo(DEPLOYMENT) < 0;
    }

    /**
     * When an instance first received this message and did not know what to do with it. Kept in the message's record. The age of the
     * message would not do, because it may have waited in its queue for longer than a deployment takes.
     */
    static Instant firstLook(MessageContext context, Instant now) {
        return Instant.ofEpochMilli(context.once("first look", Long.class, now::toEpochMilli));
    }
}
