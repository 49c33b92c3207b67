// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Attributes that say whether messages are handled in order, and into how many shards they are divided. */
final class OrderAttributes {

    private final HandlerAttributes attributes;

    OrderAttributes(HandlerAttributes attributes) {
        this.attributes = attributes;
    }

    /**
     * Of a handler that takes one message.
     *
     * @param payload class of its messages
     */
    Ordering ordering(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass, Type payload) {
        BunnyHandler says = ordered(ofMethod, ofClass);
        if (says == null) {
            requireNoPoisonOrder(where, ofMethod, ofClass);
            return Ordering.NONE;
        }
        if (ofClass != null && !ofClass.ordered() && ofClass.onPoison() != BunnyHandler.OnPoison.HOLD) {
            throw HandlerAttributes.invalid(
                    where, "onPoison", "SKIP", "where ordered = true is, and here it is on the class without it", null);
        }
        String perTransaction = attributes.perTransactionText(where, ofMethod, ofClass);
        if (!perTransaction.isEmpty() && !perTransaction.equals("1")) {
            throw HandlerAttributes.invalid(
                    where,
                    "messagesPerTransaction",
                    perTransaction,
                    "1 for a handler with ordered = true, or absent: each message waits for the one before",
                    null);
        }
        Class<?> type = ResolvableType.forType(payload).resolve(Object.class);
        BunnyMessage message = type.getDeclaredAnnotation(BunnyMessage.class);
        if (message != null && message.priority() != BunnyMessage.NO_PRIORITY) {
            throw HandlerAttributes.invalid(
                    where,
                    "ordered",
                    "true",
                    "false, because messages of class %s have a priority: one that overtakes others is not in order"
                            .formatted(type.getName()),
                    null);
        }
        return says.onPoison() == BunnyHandler.OnPoison.HOLD ? Ordering.HOLD : Ordering.SKIP;
    }

    /** What says that messages are handled in order; {@code null} if nothing does. */
    private static @Nullable BunnyHandler ordered(BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        return ofMethod.ordered() ? ofMethod : ofClass != null && ofClass.ordered() ? ofClass : null;
    }

    private static void requireNoPoisonOrder(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        boolean skips = ofMethod.onPoison() != BunnyHandler.OnPoison.HOLD
                || (ofClass != null && ofClass.onPoison() != BunnyHandler.OnPoison.HOLD);
        if (skips) {
            throw HandlerAttributes.invalid(
                    where, "onPoison", "SKIP", "absent without ordered = true, as nothing waits for poison", null);
        }
    }

    /** @param what takes messages otherwise than one by one */
    void refuseOrder(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass, String what) {
        if (ordered(ofMethod, ofClass) != null) {
            throw HandlerAttributes.invalid(where, "ordered", "true", "false for " + what, null);
        }
        requireNoPoisonOrder(where, ofMethod, ofClass);
        requireNoShards(where, ofMethod, ofClass, "absent for " + what);
    }

    /**
     * Of a handler that takes one message; {@code null} if its messages are not divided.
     *
     * @param ordering as {@link #ordering} has read it
     */
    @Nullable
    Sharding sharding(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass, Ordering ordering) {
        if (!ordering.isOrdered()) {
            requireNoShards(
                    where,
                    ofMethod,
                    ofClass,
                    "absent without ordered = true: what is handled in any order needs no shards");
            return null;
        }
        String listen = listenText(where, ofMethod, ofClass);
        String shards = shardsText(where, ofMethod, ofClass);
        if (shards.isEmpty()) {
            requireNoListen(where, listen, "absent without shards, as there are none to choose from");
            return null;
        }
        int count = HandlerAttributes.number(where, "shards", shards, 0, Sharding.MOST);
        try {
            return Sharding.parse(count, listen);
        } catch (MisuseException e) {
            throw HandlerAttributes.invalid(where, "listen", listen, Sharding.syntax(count), e);
        }
    }

    private void requireNoShards(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass, String needed) {
        String shards = shardsText(where, ofMethod, ofClass);
        if (!shards.isEmpty()) {
            throw HandlerAttributes.invalid(where, "shards", shards, needed, null);
        }
        requireNoListen(where, listenText(where, ofMethod, ofClass), needed);
    }

    private static void requireNoListen(String where, String listen, String needed) {
        if (!listen.isEmpty()) {
            throw HandlerAttributes.invalid(where, "listen", listen, needed, null);
        }
    }

    private String shardsText(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        return attributes.first(where, ofMethod.shards(), ofClass == null ? "" : ofClass.shards());
    }

    private String listenText(String where, BunnyHandler ofMethod, @Nullable BunnyHandler ofClass) {
        return attributes.first(where, ofMethod.listen(), ofClass == null ? "" : ofClass.listen());
    }
}
