// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.StoreChoice;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.PlaceOrder;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Generates orders, the same ones for the same seed. About 6 % have a bad card, and about 6 % want something that is sold out.
 */
final class OrderGenerator {

    private static final double DECLINED = 0.06;
    private static final double SOLD_OUT = 0.06;
    private static final List<String> CUSTOMERS =
            List.of("ada", "alan", "barbara", "edsger", "grace", "leslie", "tony");
    private static final List<String> GOODS = List.of("carrot", "clover", "dandelion", "hay", "lettuce", "parsley");

    private final String prefix;
    private final SplittableRandom random;

    private OrderGenerator(String prefix, long seed) {
        this.prefix = prefix;
        this.random = new SplittableRandom(seed);
    }

    /** Gives each run its own ids where a broker or a store may remember an earlier run. */
    static OrderGenerator of(Options options) {
        boolean nothingIsRemembered = options.rabbit() == null
                && !options.store().isGiven()
                // the environment may configure an existing account
                && options.store().kind() != StoreChoice.Kind.COSMOS;
        String run = nothingIsRemembered
                ? "demo" + Long.toUnsignedString(options.seed(), Character.MAX_RADIX)
                : UUID.randomUUID().toString().substring(0, 8);
        return new OrderGenerator(run + "-", options.seed());
    }

    /** Prefix of the ids of all its orders. */
    String prefix() {
        return prefix;
    }

    PlaceOrder order(int number) {
        double fate = random.nextDouble();
        boolean declined = fate < DECLINED;
        boolean soldOut = !declined && fate < DECLINED + SOLD_OUT;
        List<OrderLine> lines = IntStream.rangeClosed(1, 1 + random.nextInt(3))
                .mapToObj(position -> line(soldOut && position == 1))
                .toList();
        return new PlaceOrder(
                prefix + String.format(Locale.ROOT, "%07d", number),
                CUSTOMERS.get(random.nextInt(CUSTOMERS.size())),
                lines,
                declined ? "tok_declined" : "tok_visa");
    }

    private OrderLine line(boolean soldOut) {
        String goods = GOODS.get(random.nextInt(GOODS.size()));
        return new OrderLine(
                soldOut ? "sold-out-" + goods : goods, 1 + random.nextInt(5), 100L + random.nextInt(9_900));
    }
}
