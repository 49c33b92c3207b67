// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import io.safebunny.PoisonMessageException;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Next;
import io.safebunny.proof.demo.repair.RepairDesk;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.orchestrated.messages.CallOff;
import io.safebunny.samples.orders.orchestrated.messages.Capture;
import io.safebunny.samples.orders.orchestrated.messages.Captured;
import io.safebunny.samples.orders.orchestrated.messages.Declined;
import io.safebunny.samples.orders.orchestrated.messages.Refund;
import io.safebunny.samples.orders.orchestrated.messages.ReleaseStock;
import io.safebunny.samples.orders.orchestrated.messages.ReserveStock;
import io.safebunny.samples.orders.orchestrated.messages.ShipGoods;
import io.safebunny.samples.orders.orchestrated.messages.Shipped;
import io.safebunny.samples.orders.orchestrated.messages.SoldOut;
import io.safebunny.samples.orders.orchestrated.messages.StockReserved;
import java.util.Set;

/**
 * Makes messages of an orchestrated saga fail so that only an operator can help: commands, undos and answers are set aside at once,
 * and some of them again however often they are replayed. The saga's own methods also fail as handlers do, before and after they
 * have run: they do nothing that their transaction, or the write with the saga, does not take back.
 */
public final class Saboteur implements ConsumeMiddleware {

    private static final double SPOILS = 0.02;
    private static final double SPOILS_UNDOS = 0.2;
    private static final double DOOMS = 0.005;
    private static final double DOOMS_UNDOS = 0.05;
    private static final double STRIKES = 0.05;

    private static final Set<Class<?>> SPOILED = Set.of(
            ReserveStock.class,
            Capture.class,
            ShipGoods.class,
            StockReserved.class,
            SoldOut.class,
            Captured.class,
            Declined.class,
            Shipped.class);
    private static final Set<Class<?>> UNDOS = Set.of(ReleaseStock.class, Refund.class, CallOff.class);
    private static final Set<Class<?>> OF_SAGA =
            Set.of(PlaceOrder.class, StockReserved.class, SoldOut.class, Captured.class, Declined.class, Shipped.class);

    private final Chaos chaos;

    public Saboteur(Chaos chaos) {
        this.chaos = chaos;
    }

    @Override
    public void invoke(ConsumeContext context, Next next) throws Exception {
        String id = context.messageId();
        Class<?> type = context.payload().getClass();
        if (UNDOS.contains(type)) {
            spoil(id, SPOILS_UNDOS, DOOMS_UNDOS);
        } else if (SPOILED.contains(type)) {
            spoil(id, SPOILS, DOOMS);
        }
        if (!OF_SAGA.contains(type) && !context.type().startsWith("Bunny")) {
            next.run();
            return;
        }
        chaos.strike("before the saga", id, STRIKES);
        next.run();
        chaos.strike("after the saga", id, STRIKES);
    }

    private void spoil(String id, double share, double forEver) {
        if (chaos.dooms("message", id, forEver)) {
            throw new PoisonMessageException("Chaos struck this message " + RepairDesk.BEYOND_REPAIR);
        }
        if (chaos.strikes("message", id, share)) {
            throw new PoisonMessageException("Chaos struck this message; it may work later");
        }
    }
}
