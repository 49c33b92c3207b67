// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import org.jspecify.annotations.Nullable;

/**
 * What the demo is asked to do.
 *
 * @param rabbit {@code null} for the broker inside this process
 * @param node the only node to run; {@code null} for all of them
 * @param deduplicate {@code false} shows what happens without; for the demo's own tests
 */
record Options(
        int orders,
        boolean chaos,
        long seed,
        @Nullable RabbitAddress rabbit,
        boolean json,
        boolean serve,
        @Nullable Node node,
        boolean deduplicate) {

    static final int MOST_ORDERS = 1_000_000;

    static Options defaults() {
        return new Options(1_000, false, 1, null, false, false, null, true);
    }

    Options withOrders(int number) {
        return new Options(number, chaos, seed, rabbit, json, serve, node, deduplicate);
    }

    Options withChaos(long chaosSeed) {
        return new Options(orders, true, chaosSeed, rabbit, json, serve, node, deduplicate);
    }

    Options withSeed(long other) {
        return new Options(orders, chaos, other, rabbit, json, serve, node, deduplicate);
    }

    Options withRabbit(RabbitAddress address) {
        return new Options(orders, chaos, seed, address, json, serve, node, deduplicate);
    }

    Options withJson() {
        return new Options(orders, chaos, seed, rabbit, true, serve, node, deduplicate);
    }

    Options withServe() {
        return new Options(orders, chaos, seed, rabbit, json, true, node, deduplicate);
    }

    Options withNode(Node only) {
        return new Options(orders, chaos, seed, rabbit, json, serve, only, deduplicate);
    }

    Options withoutDeduplication() {
        return new Options(orders, chaos, seed, rabbit, json, serve, node, false);
    }
}
