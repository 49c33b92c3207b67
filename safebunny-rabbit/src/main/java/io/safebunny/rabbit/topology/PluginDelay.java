// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.rabbit.publish.Destination;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Delays messages by the delayed message exchange plugin, which takes at most 2^32 - 1 ms and ignores the mandatory flag. */
public final class PluginDelay implements Delay {

    static final String EXCHANGE_TYPE = "x-delayed-message";
    private static final String TO = "sb-delay-to";
    private static final long LONGEST = (1L << 32) - 1;

    private final TopologyOptions names;

    public PluginDelay(TopologyOptions names) {
        this.names = names;
    }

    @Override
    public void declare(Broker broker) throws IOException {
        if (broker.exchange(names.delayedExchange(), EXCHANGE_TYPE, Map.of("x-delayed-type", "headers"))) {
            bind(broker, names.dueExchange(), TO_BINDINGS);
            bind(broker, names.retryExchange(), TO_QUEUE);
        }
    }

    private void bind(Broker broker, String exchange, String to) throws IOException {
        broker.bindExchange(exchange, names.delayedExchange(), "", Map.of("x-match", "all", TO, to));
    }

    @Override
    public String entry() {
        return names.delayedExchange();
    }

    @Override
    public void reconnected() {}

    @Override
    public Destination delayed(OutboundMessage message, Declarations.Source broker) {
        Route route = message.route();
        Duration delay = message.delay();
        long millis = delay.plusNanos(999_999).toMillis();
        if (millis > LONGEST) {
            throw new InvalidPublicationException(
                    "Delay too long [delay=%s]: the delayed message exchange plugin takes at most %s ms. Set safebunny.delay.strategy=ladder."
                            .formatted(delay, LONGEST));
        }
        return new Destination(
                names.delayedExchange(),
                route.routingKey(),
                false,
                Map.of("x-delay", millis, TO, Delay.finalHop(route)));
    }
}
