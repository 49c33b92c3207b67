// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.message.PoisonReason;
import java.lang.reflect.Type;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One saga, as found and checked at start-up. Immutable.
 *
 * @param name under which its instances are stored
 * @param description its class, for logs and errors
 * @param version of the state, from 1
 * @param stateType type of the state, which becomes a JSON object and is read back from it
 * @param timeouts {@link io.safebunny.saga.OnTimeout} methods by name of the timeout
 * @param poisoned the {@link io.safebunny.saga.OnPoisoned} method; {@code null} if there is none
 * @param expired the {@link io.safebunny.OnExpired} method, for commands that have expired; {@code null} if there is none
 * @param shredded the {@link io.safebunny.saga.OnShredded} method, for commands whose person was erased; {@code null} if there is none
 * @param upgrades by the version they read; each returns the next version, without gaps up to {@code version}. Empty if there are
 *     none. They may modify their argument
 * @param participants nodes whose acknowledgements of undos are received: those in the handlers' {@code from}, and those in
 *     {@link io.safebunny.saga.BunnySaga#participants}
 * @param encryptedAs the class with {@link io.safebunny.encryption.Encrypted} by which states are encrypted in the store: the saga's, or
 *     the state's; {@code null} if neither has it
 */
public record SagaDefinition(
        String name,
        String description,
        int version,
        Type stateType,
        List<SagaHandler> handlers,
        Map<String, SagaMethod> timeouts,
        @Nullable SagaMethod poisoned,
        @Nullable SagaMethod expired,
        @Nullable SagaMethod shredded,
        SortedMap<Integer, UnaryOperator<ObjectNode>> upgrades,
        Set<String> participants,
        @Nullable Class<?> encryptedAs) {

    public SagaDefinition {
        handlers = List.copyOf(handlers);
        timeouts = Map.copyOf(timeouts);
        upgrades = Collections.unmodifiableSortedMap(new TreeMap<>(upgrades));
        participants = Set.copyOf(participants);
    }

    /** Without methods for expired and shredded commands, and not encrypted. */
    public SagaDefinition(
            String name,
            String description,
            int version,
            Type stateType,
            List<SagaHandler> handlers,
            Map<String, SagaMethod> timeouts,
            @Nullable SagaMethod poisoned,
            SortedMap<Integer, UnaryOperator<ObjectNode>> upgrades,
            Set<String> participants) {
        this(
                name,
                description,
                version,
                stateType,
                handlers,
                timeouts,
                poisoned,
                null,
                null,
                upgrades,
                participants,
                null);
    }

    /**
     * The method that is told of a command that was set aside, has expired, or was shredded.
     *
     * @param reason as in the header {@code sb-poison-reason}
     * @return {@code null} if there is none
     */
    public @Nullable SagaMethod blocked(String reason) {
        if (expired != null && reason.equals(PoisonReason.EXPIRED.wireName())) {
            return expired;
        }
        return shredded != null && reason.equals(PoisonReason.SHREDDED.wireName()) ? shredded : poisoned;
    }
}
