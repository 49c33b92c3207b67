// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.proof.simulation.story.Sequenced.Changed;
import io.safebunny.proof.simulation.story.Sequenced.Shop;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.concurrent.atomic.AtomicInteger;

/** The messages of {@link Sequenced} in shards. Of each article, the shard is another one among two than among four. */
public final class Sharded {

    private Sharded() {}

    /** The first change of an article fails, and is retried. */
    public static void retried(SimulatedSystem system) {
        Sequenced.allInOrder(system, InTwo::new);
    }

    /** The first change of an article is set aside, and replayed in the end. Those behind it wait. */
    public static void held(SimulatedSystem system) {
        Shop shop = Shop.of(system);
        Sequenced.allInOrder(system, node -> new Holding(node, shop));
    }

    /** As {@link #retried}, and each instance that starts has another number of shards than the one before. */
    public static void resized(SimulatedSystem system) {
        AtomicInteger starts = new AtomicInteger();
        Sequenced.allInOrder(system, node -> starts.getAndIncrement() % 2 == 0 ? new InTwo(node) : new InFour(node));
    }

    record InTwo(SimulatedNode node) {

        @BunnyHandler(from = "warehouse", ordered = true, shards = "2")
        void on(Changed change, MessageContext context) {
            Sequenced.retry(node, change, context);
        }
    }

    record InFour(SimulatedNode node) {

        @BunnyHandler(from = "warehouse", ordered = true, shards = "4")
        void on(Changed change, MessageContext context) {
            Sequenced.retry(node, change, context);
        }
    }

    record Holding(SimulatedNode node, Shop shop) {

        @BunnyHandler(from = "warehouse", ordered = true, shards = "2")
        void on(Changed change, MessageContext context) {
            Sequenced.mend(node, shop, change, context);
        }
    }
}
