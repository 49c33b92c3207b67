// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.command;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the demo is to do. Immutable.
 *
 * @param rabbit {@code null} for the in-process broker, or for a private RabbitMQ where one is needed
 * @param node the only node to run; {@code null} for all of them
 * @param kill whether to run two instances of the nodes, each in a separate process, and kill one half-way
 * @param deduplicate {@code false} shows what happens without deduplication, for the demo's own tests
 * @param http port of the first node's health and metrics, followed by the others; 0 for any free ports, {@code null} for none
 * @param orchestrated whether a saga with state tells the nodes what to do
 * @param settings of SafeBunny, for all nodes, by their property's name
 */
public record Options(
        int orders,
        boolean chaos,
        long seed,
        @Nullable RabbitAddress rabbit,
        StoreChoice store,
        boolean json,
        boolean serve,
        @Nullable Node node,
        boolean kill,
        boolean deduplicate,
        @Nullable Integer http,
        boolean orchestrated,
        Map<String, String> settings) {

    static final int MOST_ORDERS = 1_000_000;

    public Options {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** Whether the node only shows what it needs on the broker, and then ends the process. */
    public boolean asksForTopology() {
        return settings.containsKey("safebunny.topology");
    }

    public static Options defaults() {
        return new Options(
                1_000,
                false,
                1,
                null,
                StoreChoice.of(StoreChoice.Kind.MEMORY),
                false,
                false,
                null,
                false,
                true,
                null,
                false,
                Map.of());
    }

    public Options withOrders(int number) {
        return new Options(
                number, chaos, seed, rabbit, store, json, serve, node, kill, deduplicate, http, orchestrated, settings);
    }

    public Options withChaos(long chaosSeed) {
        return new Options(
                orders,
                true,
                chaosSeed,
                rabbit,
                store,
                json,
                serve,
                node,
                kill,
                deduplicate,
                http,
                orchestrated,
                settings);
    }

    Options withSeed(long other) {
        return new Options(
                orders,
                chaos,
                other,
                rabbit,
                store,
                json,
                serve,
                node,
                kill,
                deduplicate,
                http,
                orchestrated,
                settings);
    }

    public Options withRabbit(RabbitAddress address) {
        return new Options(
                orders,
                chaos,
                seed,
                address,
                store,
                json,
                serve,
                node,
                kill,
                deduplicate,
                http,
                orchestrated,
                settings);
    }

    public Options withStore(StoreChoice choice) {
        return new Options(
                orders,
                chaos,
                seed,
                rabbit,
                choice,
                json,
                serve,
                node,
                kill,
                deduplicate,
                http,
                orchestrated,
                settings);
    }

    public Options withJson() {
        return new Options(
                orders, chaos, seed, rabbit, store, true, serve, node, kill, deduplicate, http, orchestrated, settings);
    }

    public Options withServe() {
        return new Options(
                orders, chaos, seed, rabbit, store, json, true, node, kill, deduplicate, http, orchestrated, settings);
    }

    Options withNode(Node only) {
        return new Options(
                orders, chaos, seed, rabbit, store, json, serve, only, kill, deduplicate, http, orchestrated, settings);
    }

    public Options withKill() {
        return new Options(
                orders, chaos, seed, rabbit, store, json, serve, node, true, deduplicate, http, orchestrated, settings);
    }

    public Options withHttp(int port) {
        return new Options(
                orders, chaos, seed, rabbit, store, json, serve, node, kill, deduplicate, port, orchestrated, settings);
    }

    public Options withOrchestrator() {
        return new Options(
                orders, chaos, seed, rabbit, store, json, serve, node, kill, deduplicate, http, true, settings);
    }

    Options withSetting(String property, String value) {
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(property, value);
        return new Options(
                orders, chaos, seed, rabbit, store, json, serve, node, kill, deduplicate, http, orchestrated, more);
    }

    public Options withoutDeduplication() {
        return new Options(
                orders, chaos, seed, rabbit, store, json, serve, node, kill, false, http, orchestrated, settings);
    }
}
