// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.PoisonMessageException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.proof.model.saga.ParcelSaga;
import io.safebunny.proof.model.saga.ShopSaga;
import io.safebunny.proof.model.saga.ShopSaga.Capture;
import io.safebunny.proof.model.saga.ShopSaga.Captured;
import io.safebunny.proof.model.saga.ShopSaga.Declined;
import io.safebunny.proof.model.saga.ShopSaga.Refund;
import io.safebunny.proof.model.saga.ShopSaga.ReleaseStock;
import io.safebunny.proof.model.saga.ShopSaga.ReserveStock;
import io.safebunny.proof.model.saga.ShopSaga.StockReserved;
import io.safebunny.saga.SagaFailed;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes that do what the sagas ask for, and what they have done. They decline, fall silent, fail, and set messages aside. Confined to
 * one thread.
 */
final class Participants {

    private final World world;
    private final Chaos chaos;
    private final Set<String> reserved = new HashSet<>();
    private final Set<String> captured = new HashSet<>();
    private final Map<String, Set<String>> failed = new HashMap<>();

    Participants(World world, Chaos chaos) {
        this.world = world;
        this.chaos = chaos;
    }

    /** None for other nodes. */
    List<HandlerDefinition> handlers(String node) {
        return switch (node) {
            case "warehouse" ->
                List.of(
                        World.handler(ShopSaga.NODE, ParcelSaga.Label.class, (payload, context) -> {
                            if (((ParcelSaga.Label) payload).isUnprintable()) {
                                throw new PoisonMessageException("as the proof wants");
                            }
                        }),
                        World.handler(ShopSaga.NODE, ReserveStock.class, (payload, context) -> {
                            chaos.trouble();
                            String order = ((ReserveStock) payload).order();
                            reserved.add(order);
                            chaos.trouble();
                            answer(node, new StockReserved(order));
                        }),
                        World.handler(ShopSaga.NODE, ReleaseStock.class, (payload, context) -> {
                            chaos.trouble();
                            boolean unused = reserved.remove(((ReleaseStock) payload).order());
                            chaos.trouble();
                        }));
            case "billing" ->
                List.of(
                        World.handler(ShopSaga.NODE, Capture.class, (payload, context) -> {
                            String order = ((Capture) payload).order();
                            if (context.messageId().hashCode() % 5 == 0) {
                                answer(node, new Declined(order));
                                return;
                            }
                            chaos.trouble();
                            captured.add(order);
                            chaos.trouble();
                            answer(node, new Captured(order));
                        }),
                        World.handler(ShopSaga.NODE, Refund.class, (payload, context) -> {
                            chaos.trouble();
                            boolean unused = captured.remove(((Refund) payload).order());
                            chaos.trouble();
                        }));
            case "notifications" ->
                List.of(World.handler(ShopSaga.NODE, SagaFailed.class, (payload, context) -> failed.computeIfAbsent(
                                context.correlationId(), id -> new HashSet<>())
                        .add(context.messageId())));
            default -> List.of();
        };
    }

    private void answer(String node, Object answer) {
        if (!chaos.chance(10)) {
            var unused = world.bunny(node).publish(answer);
        }
    }

    boolean isReserved(String order) {
        return reserved.contains(order);
    }

    boolean isCaptured(String order) {
        return captured.contains(order);
    }

    /** How many different messages said that this saga has failed. */
    int failuresTold(String id) {
        return failed.getOrDefault(id, Set.of()).size();
    }
}
