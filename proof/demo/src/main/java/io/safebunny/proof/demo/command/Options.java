// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.command;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the demo is to do. Immutable.
 *
 * @param rabbit {@code null} for the in-process broker, or for a private RabbitMQ where one is needed
 * @param node the only node to run; {@code null} for all of them
 * @param http port of the first node's health and metrics, followed by the others; 0 for any free ports, {@code null} for none
 * @param settings of SafeBunny, for all nodes, by their property's name
 */
public record Options(
        int orders,
        long seed,
        @Nullable RabbitAddress rabbit,
        StoreChoice store,
        @Nullable Node node,
        @Nullable Integer http,
        Set<Flag> flags,
        Map<String, String> settings) {

    static final int MOST_ORDERS = 1_000_000;

    /** With a page to look at, they come one by one. */
    static final int MOST_SHOWN = 1_000;

    /** What is on or off, and off by default. */
    public enum Flag {
        CHAOS,
        JSON,
        SERVE,
        /** Two instances of the nodes run, each in a separate process, and one is killed half-way. */
        KILL,
        /** Shows what happens without deduplication, for the demo's own tests. */
        WITHOUT_DEDUPLICATION,
        /** A saga with state tells the nodes what to do. */
        ORCHESTRATED,
        /** Somebody looks at the page of a node. */
        DASHBOARD
    }

    public Options {
        flags = Set.copyOf(flags);
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    public static Options defaults() {
        StoreChoice memory = StoreChoice.of(StoreChoice.Kind.MEMORY);
        return new Options(1_000, 1, null, memory, null, null, Set.of(), Map.of());
    }

    public boolean chaos() {
        return flags.contains(Flag.CHAOS);
    }

    public boolean json() {
        return flags.contains(Flag.JSON);
    }

    public boolean serve() {
        return flags.contains(Flag.SERVE);
    }

    public boolean kill() {
        return flags.contains(Flag.KILL);
    }

    public boolean deduplicate() {
        return !flags.contains(Flag.WITHOUT_DEDUPLICATION);
    }

    public boolean orchestrated() {
        return flags.contains(Flag.ORCHESTRATED);
    }

    public boolean dashboard() {
        return flags.contains(Flag.DASHBOARD);
    }

    /** The node whose page tells most: the one with the sagas, else the one that calls the bank. */
    public Node watched() {
        return orchestrated() ? Node.ORDERS : Node.BILLING;
    }

    /** Whether the node only shows what it needs on the broker, and then ends the process. */
    public boolean asksForTopology() {
        return settings.containsKey("safebunny.topology");
    }

    public Options withOrders(int number) {
        return new Options(number, seed, rabbit, store, node, http, flags, settings);
    }

    public Options withChaos(long chaosSeed) {
        return withSeed(chaosSeed).with(Flag.CHAOS);
    }

    Options withSeed(long other) {
        return new Options(orders, other, rabbit, store, node, http, flags, settings);
    }

    public Options withRabbit(RabbitAddress address) {
        return new Options(orders, seed, address, store, node, http, flags, settings);
    }

    public Options withStore(StoreChoice choice) {
        return new Options(orders, seed, rabbit, choice, node, http, flags, settings);
    }

    Options withNode(Node only) {
        return new Options(orders, seed, rabbit, store, only, http, flags, settings);
    }

    public Options withHttp(int port) {
        return new Options(orders, seed, rabbit, store, node, port, flags, settings);
    }

    public Options with(Flag flag) {
        Set<Flag> more = new TreeSet<>(flags);
        more.add(flag);
        return new Options(orders, seed, rabbit, store, node, http, more, settings);
    }

    Options withSetting(String property, String value) {
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(property, value);
        return new Options(orders, seed, rabbit, store, node, http, flags, more);
    }
}
