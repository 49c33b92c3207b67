// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import io.safebunny.message.Priority;
import io.safebunny.rabbit.publish.Destination;
import io.safebunny.rabbit.topology.LadderPath.Step;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Delays messages in a ladder of durable quorum queues, its rungs. Headers lead a message from rung to rung by dead-lettering, see {@link
 * LadderPath}. All messages of a rung wait equally long, so none has to wait for another.
 *
 * <p>Routing is by headers because the routing key stays that of the final destination. Rungs and the bindings between them are declared on
 * first use. Dead-lettering is at-least-once, so a broker crash loses nothing. The price: a message that cannot be routed out of a rung
 * stays there, and a few dozen of them block everything behind them. Every exchange behind a rung therefore has an alternate exchange that
 * takes such messages.
 */
public final class LadderDelay implements Delay {

    private final TopologyOptions names;
    private final Set<Step> declared = ConcurrentHashMap.newKeySet();

    public LadderDelay(TopologyOptions names) {
        this.names = names;
    }

    /** {@inheritDoc} Messages enter through a topic exchange that passes on everything: topic permissions apply only to topic exchanges. */
    @Override
    public void declare(Broker broker) throws IOException {
        boolean shaped = broker.exchange(names.delayedExchange(), "headers", Map.of());
        if (broker.exchange(names.laterExchange(), "topic", Map.of()) && shaped) {
            broker.bindExchange(names.delayedExchange(), names.laterExchange(), "#", Map.of());
        }
    }

    @Override
    public String entry() {
        return names.laterExchange();
    }

    @Override
    public void reconnected() {
        declared.clear();
    }

    @Override
    public Destination delayed(OutboundMessage message, Declarations.Source broker) throws IOException {
        Route route = message.route();
        List<Step> steps = LadderPath.steps(
                LadderPath.rungs(message.delay()),
                Priority.isHigh(message.message().priority()),
                Delay.finalHop(route),
                names);
        declareMissing(steps, broker);
        Map<String, Object> headers = new HashMap<>();
        steps.forEach(step -> headers.put(step.header(), step.value()));
        return new Destination(names.laterExchange(), route.routingKey(), true, headers);
    }

    private void declareMissing(List<Step> steps, Declarations.Source broker) throws IOException {
        List<Step> missing =
                steps.stream().filter(step -> !declared.contains(step)).toList();
        if (missing.isEmpty()) {
            return;
        }
        try (Declarations open = broker.open()) {
            for (Step step : missing) {
                declare(open, step);
                declared.add(step);
            }
        }
    }

    /** Declares a rung and its bindings. What this user may not configure is left to an administrator. */
    private void declare(Broker broker, Step step) throws IOException {
        String target = step.target(names);
        if (step.isEnd()) {
            if (broker.exchange(step.exchange(), "headers", exchangeArguments(names))) {
                broker.bindExchange(target, step.exchange(), "", step.arguments());
            }
            return;
        }
        boolean shaped = broker.exchange(target, "headers", exchangeArguments(names));
        if (broker.queue(target, rungArguments(step.rung(), target)) && shaped) {
            broker.bindQueue(target, step.exchange(), "", step.arguments());
        }
    }

    /** Arguments of the exchange behind a rung. */
    static Map<String, Object> exchangeArguments(TopologyOptions names) {
        return Map.of("alternate-exchange", names.unrouted());
    }

    static Map<String, Object> rungArguments(int rung, String deadLetterExchange) {
        return Map.of(
                "x-queue-type", "quorum",
                "x-message-ttl", 1L << rung,
                "x-dead-letter-exchange", deadLetterExchange,
                "x-dead-letter-strategy", "at-least-once",
                "x-overflow", "reject-publish");
    }
}
