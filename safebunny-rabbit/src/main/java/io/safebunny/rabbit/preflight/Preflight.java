// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rabbit.connection.BrokerVersion;
import io.safebunny.rabbit.preflight.ManagementApi.UnaskedException;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Compares a broker with what a node needs, by RabbitMQ's management API: it tells what AMQP does not, the policies on a node's queues,
 * their bindings, how full they are, and queues that are left over. Changes nothing, but for {@link #pruning}. Without the API it assumes the broker's defaults.
 * Thread-safe.
 */
public final class Preflight {

    /** Of queues that are not planned. */
    private static final int MOST_OTHERS = 50;

    private final @Nullable ManagementApi management;
    private final String virtualHost;
    private final Timeline timeline;
    private volatile List<String> others = List.of();

    /**
     * @param management where the plugin listens, such as {@code http://broker:15672}; {@code null} for no API
     * @param user of the broker, with the tag {@code management} at least
     */
    public Preflight(@Nullable URI management, String user, String password, String virtualHost, Timeline timeline) {
        this.management =
                management == null ? null : new ManagementApi(management, user, password, virtualHost, timeline);
        this.virtualHost = virtualHost;
        this.timeline = timeline;
    }

    /** Whether a management API is configured. */
    public boolean asks() {
        return management != null;
    }

    /**
     * What removes from the broker what the node does not need any more.
     *
     * @throws ConfigurationException SB-1301 without a management API
     */
    public Pruning pruning(Topology planned) {
        if (management == null) {
            throw new ConfigurationException(
                    "SB-1301",
                    "What is left over cannot be seen [safebunny.topology.management-uri=]: AMQP lists neither queues nor bindings, only the management API does.",
                    "Set safebunny.topology.management-uri, such as http://broker:15672, and give the user the tag `management`.");
        }
        return new Pruning(planned, management, virtualHost, timeline);
    }

    /**
     * Compares once: a call for each exchange, two for each queue, one after the other. Blocks for at most some seconds per call, and ends
     * with the first that fails.
     *
     * @param handlers of the node; their in-memory retries are compared with the broker's acknowledgement timeout, or its default without
     *     an API
     * @param isThorough whether to look for queues that are left over, in a list of all queues that nodes consume; otherwise those that were
     *     found the last time are looked at
     */
    public TopologyReport compare(Topology planned, List<HandlerDefinition> handlers, boolean isThorough)
            throws InterruptedException {
        Marking marking = new Marking(planned);
        String version = "";
        if (management != null) {
            try {
                version = management.version();
                String old = BrokerVersion.finding(version);
                if (old != null) {
                    marking.broker(Judgement.of(Mark.DIFFERENT, old));
                }
                compare(planned, management, marking);
                lookAtOthers(planned, management, isThorough, marking);
            } catch (UnaskedException e) {
                marking.refuse(String.valueOf(e.getMessage()));
            }
        }
        addHeldTooLong(planned, handlers, new AcknowledgementTimeout(version, virtualHost), marking);
        handlers.forEach(handler -> marking.unheard(handler.subscription()));
        return marking.result();
    }

    private static void compare(Topology planned, ManagementApi broker, Marking marking)
            throws UnaskedException, InterruptedException {
        for (Topology.Exchange exchange : planned.exchanges()) {
            marking.exchange(exchange, broker.exchange(exchange.name()));
        }
        for (Topology.Queue queue : planned.queues()) {
            marking.queue(queue, broker.queue(queue.name()), broker.bindings(queue.name()));
        }
    }

    /** All queues that a node consumes are bound to one exchange. Of the planned ones all is known, whatever happens here. */
    private void lookAtOthers(Topology planned, ManagementApi broker, boolean isThorough, Marking marking)
            throws InterruptedException {
        try {
            if (isThorough) {
                JsonNode bound = broker.bindingsFrom(planned.options().ownExchange());
                others = bound == null ? List.of() : marking.others(bound);
            }
            for (String name : others.subList(0, Math.min(others.size(), MOST_OTHERS))) {
                marking.other(name, broker.queue(name), broker.bindings(name));
            }
            if (others.size() > MOST_OTHERS) {
                remark(
                        marking,
                        "there are %s that this node does not declare, too many to look at".formatted(others.size()));
            }
        } catch (UnaskedException e) {
            remark(marking, String.valueOf(e.getMessage()));
        }
    }

    private static void remark(Marking marking, String why) {
        marking.broker(Judgement.harmless(Mark.UNKNOWN, null, "It is not known which queues are left over: " + why));
    }

    private static void addHeldTooLong(
            Topology planned, List<HandlerDefinition> handlers, AcknowledgementTimeout timeout, Marking marking) {
        Map<String, HandlerDefinition> byQueue = new HashMap<>();
        for (HandlerDefinition handler : handlers) {
            List<String> shards = handler.subscription().shardQueues(planned.node());
            List<String> held = shards.isEmpty() ? List.of(handler.queue(planned.node())) : shards;
            held.forEach(queue -> byQueue.put(queue, handler));
        }
        for (Topology.Queue queue : planned.queues()) {
            HandlerDefinition handler = byQueue.get(queue.name());
            String finding = handler == null ? null : timeout.finding(handler, queue, marking.facts(queue));
            if (finding != null) {
                marking.add(queue, finding);
            }
        }
    }
}
