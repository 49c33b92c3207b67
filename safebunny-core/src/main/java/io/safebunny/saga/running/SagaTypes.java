// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.MessageContext;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.message.Names;
import io.safebunny.recovery.NotHandledException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The kinds of sagas of a node. Immutable. */
final class SagaTypes {

    private static final Duration DEPLOYING = Duration.ofMinutes(15);

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
     * When an instance first had this message and did not know what to do with it. Its record keeps that, because its age says nothing:
     * it may have waited in its queue for longer than a deployment takes.
     */
    static Instant firstLook(MessageContext context, Instant now) {
        return Instant.ofEpochMilli(context.once("first look", Long.class, now::toEpochMilli));
    }

    /**
     * Whether what this instance does not know may be known to others, while two versions of the application run.
     *
     * @param since when it was first looked at; a moment far ahead was another clock's
     */
    static boolean mayBeDeploying(Instant since, Instant now) {
        return Duration.between(since, now).abs().compareTo(DEPLOYING) < 0;
    }

    /** @throws NotHandledException this instance does not know it: another version of the application does */
    SagaType require(String name) {
        SagaType type = byName.get(name);
        if (type == null) {
            throw NotHandledException.byThisVersion(
                    "This instance has no saga %s: the message waits for an instance that has".formatted(name));
        }
        return type;
    }

    /** Names those that there are, since this one may be misspelt. */
    static String noMethod(SagaDefinition definition, String timeout) {
        Set<String> known = new TreeSet<>(definition.timeouts().keySet());
        return "%s has no method @OnTimeout(\"%s\"), only for %s"
                .formatted(definition.description(), Names.printable(timeout), known.isEmpty() ? "none" : known);
    }
}
