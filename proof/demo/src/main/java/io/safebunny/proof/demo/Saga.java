// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyOperations;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.proof.demo.accounts.Counts;
import io.safebunny.proof.demo.chaos.Chaos;
import io.safebunny.proof.demo.chaos.ChaosMonkey;
import io.safebunny.proof.demo.chaos.GatewaySwitch;
import io.safebunny.proof.demo.chaos.Saboteur;
import io.safebunny.proof.demo.command.Node;
import io.safebunny.proof.demo.command.UsageException;
import io.safebunny.proof.demo.traffic.EmbeddedBroker;
import io.safebunny.proof.demo.traffic.OnlookingTransport;
import io.safebunny.proof.demo.traffic.Traffic;
import io.safebunny.proof.demo.traffic.WatchedTransport;
import io.safebunny.samples.orders.storefront.Storefront;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Nodes running in this process, each in its own application context. They share the in-process broker if there is one. */
final class Saga implements AutoCloseable {

    /** Grace after the last message has moved or was due back, because brokers are sometimes late. */
    private static final Duration QUIET = Duration.ofMillis(2_500);

    private static final String PAGES = "management.endpoint.safebunnyui.pages.";

    private final Setup setup;
    private final Traffic traffic = new Traffic();
    private final List<MeterRegistry> meters = new ArrayList<>();
    private final @Nullable Chaos chaos;
    private final @Nullable EmbeddedBroker embedded;
    private final Map<Node, ConfigurableApplicationContext> nodes = new EnumMap<>(Node.class);

    private final boolean looksOnly;

    /** Of the nodes that serve HTTP: known before they start, so that each can link to the pages of the others. */
    private final Map<Node, Integer> ports;

    private Saga(Setup setup, boolean looksOnly, Collection<Node> nodes) {
        this.setup = setup;
        this.ports = setup.http() == null ? Map.of() : ports(setup.http(), nodes);
        this.looksOnly = looksOnly;
        this.chaos = setup.chaos() ? new Chaos(setup.seed()) : null;
        this.embedded = setup.embedded() ? new EmbeddedBroker() : null;
    }

    /** @throws UsageException when a node does not start; Spring Boot's log says why */
    static Saga start(Setup setup, Collection<Node> nodes) {
        return start(new Saga(setup, false, nodes), nodes);
    }

    /** An instance of the orchestrator that consumes nothing: it lists and repairs sagas from outside the instances that do. */
    static Saga console(Setup setup) {
        return start(new Saga(setup, true, List.of(Node.ORDERS)), List.of(Node.ORDERS));
    }

    private static Saga start(Saga saga, Collection<Node> nodes) {
        for (Node node : nodes) {
            try {
                saga.start(node);
            } catch (RuntimeException e) {
                saga.close();
                throw new UsageException("the node " + node.wireName() + " did not start. Check the log above");
            }
        }
        return saga;
    }

    private void start(Node node) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(node.application(setup.orchestrated()))
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false) // the demo stops the nodes itself, in order
                .initializers(created -> instrument(node, created.getBeanFactory()))
                .run(arguments(node));
        nodes.put(node, context);
    }

    /** Adds everything that is not part of a node: the shared broker, watchers and chaos. */
    private void instrument(Node node, ConfigurableListableBeanFactory beans) {
        MeterRegistry registry = new SimpleMeterRegistry();
        meters.add(registry);
        beans.registerSingleton("meterRegistry", registry);
        beans.registerSingleton("watcher", new WatchedTransport.Watcher(traffic));
        if (chaos != null) {
            beans.registerSingleton("chaosMonkey", new ChaosMonkey(chaos, setup.payWithin()));
            if (setup.orchestrated()) {
                beans.registerSingleton("saboteur", new Saboteur(chaos));
            }
        }
        if (setup.http() != null) { // Spring Boot keeps audit events only where Spring Security is
            InMemoryAuditEventRepository events = new InMemoryAuditEventRepository();
            beans.registerSingleton("auditEvents", events);
            beans.registerSingleton("auditListener", new AuditListener(events));
        }
        if (setup.http() != null && node == Node.BILLING) {
            beans.registerSingleton("gatewaySwitch", new GatewaySwitch());
        }
        if (looksOnly) {
            beans.registerSingleton("onlooker", new OnlookingTransport.Onlooker());
        }
        if (embedded != null) {
            beans.registerSingleton("memoryBroker", embedded.broker());
        }
    }

    private String[] arguments(Node node) {
        Map<String, String> properties = new LinkedHashMap<>(setup.properties());
        properties.put("spring.application.name", node.wireName());
        properties.put("safebunny.node", node.wireName());
        if (node == Node.NOTIFICATIONS) { // handles in order, which needs a store also in a run without deduplication
            properties.replace("safebunny.store.type", "none", "memory");
        }
        Integer own = ports.get(node);
        if (own != null) {
            properties.put("server.address", "127.0.0.1"); // stronger than SERVER_ADDRESS in the environment
            properties.put("server.port", String.valueOf(own));
            ports.forEach((other, port) -> {
                if (other != node) {
                    properties.put(PAGES + other.wireName(), endpoints(port) + "/safebunnyui");
                }
            });
        }
        List<String> arguments = new ArrayList<>();
        properties.forEach((name, value) -> arguments.add("--" + name + "=" + value));
        return arguments.toArray(String[]::new);
    }

    /** Addresses of the nodes' health and metrics; empty if they serve none. */
    Map<Node, String> addresses() {
        Map<Node, String> addresses = new EnumMap<>(Node.class);
        nodes.forEach((node, context) -> {
            String port = context.getEnvironment().getProperty("local.server.port");
            if (port != null) {
                addresses.put(node, endpoints(Integer.parseInt(port)));
            }
        });
        return addresses;
    }

    private static String endpoints(int port) {
        return "http://localhost:" + port + "/actuator";
    }

    /** The last node to start, the storefront, gets the first port. */
    private static Map<Node, Integer> ports(int first, Collection<Node> nodes) {
        List<Node> reversed = new ArrayList<>(nodes);
        Collections.reverse(reversed);
        Map<Node, Integer> ports = new EnumMap<>(Node.class);
        List<ServerSocket> taken = new ArrayList<>(); // together, or one port could be found twice
        try {
            for (Node node : reversed) {
                if (first == 0) {
                    taken.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
                }
                ports.put(node, first == 0 ? taken.get(taken.size() - 1).getLocalPort() : first + ports.size());
            }
            for (ServerSocket socket : taken) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UsageException("there is no free port for " + nodes + ": " + e.getMessage());
        }
        return ports;
    }

    /** Ends the pauses that somebody has begun, so that what waits for them is handled. */
    void resume(String reason) {
        for (ConfigurableApplicationContext context : nodes.values()) {
            BunnyOperations operations = context.getBean(BunnyOperations.class);
            operations.paused().forEach(pause -> operations.resume(pause.type(), pause.scope(), reason, "demo"));
        }
    }

    Storefront storefront() {
        return bean(Node.STOREFRONT, Storefront.class);
    }

    <T> T bean(Node node, Class<T> type) {
        ConfigurableApplicationContext context = nodes.get(node);
        if (context == null) {
            throw new IllegalStateException(
                    "The node " + node.wireName() + " does not run in this process. Check which nodes were started");
        }
        return context.getBean(type);
    }

    Traffic traffic() {
        return traffic;
    }

    @Nullable
    Chaos chaos() {
        return chaos;
    }

    /** Totals of all nodes; may be called after they have stopped. */
    Counts counts() {
        return new Counts(
                traffic.duplicates(),
                traffic.redelivered(),
                count("safebunny.dedup", "outcome", "hit"),
                count("safebunny.dedup", "outcome", "takeover"),
                count("safebunny.retries", "stage", "immediate"),
                count("safebunny.retries", "stage", "delayed"),
                count("safebunny.poison"),
                count("safebunny.saga", "state", "stuck"),
                count("safebunny.saga", "state", "compensation-failed"));
    }

    /** The sum over all nodes, types and reasons. */
    private long count(String meter, String... tags) {
        return Math.round(meters.stream()
                .flatMap(registry -> registry.find(meter).tags(tags).counters().stream())
                .mapToDouble(Counter::count)
                .sum());
    }

    /** Whether the queues of all nodes exist, so that no message is refused or missed. */
    boolean isReady() {
        if (embedded != null) {
            return true;
        }
        AmqpAdmin admin = nodes.values().iterator().next().getBean(AmqpAdmin.class);
        try {
            return traffic.queues().stream().allMatch(queue -> admin.getQueueInfo(queue) != null);
        } catch (AmqpException e) {
            return false; // not connected yet
        }
    }

    /**
     * Whether nothing moves any more: known for certain on the in-process broker, unless timeouts wait there; otherwise assumed after
     * a period of silence.
     */
    boolean isIdle() {
        MemoryBroker broker = embedded == null ? null : embedded.broker();
        return (broker == null || setup.orchestrated()) ? traffic.quietFor(QUIET) : broker.isIdle();
    }

    /** Stops publishers before their receivers; after that the ledger no longer changes. A repeat is harmless. */
    void stop() {
        List<ConfigurableApplicationContext> contexts = new ArrayList<>(nodes.values());
        Collections.reverse(contexts);
        contexts.forEach(ConfigurableApplicationContext::close);
    }

    @Override
    public void close() {
        stop();
        if (embedded != null) {
            embedded.close();
        }
    }
}
