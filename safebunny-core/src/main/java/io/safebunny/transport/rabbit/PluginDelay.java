// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.Channel;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Delays by the delayed message exchange plugin. It takes at most 2^32 - 1 ms and knows no mandatory flag. */
final class PluginDelay implements Delay {

    static final String EXCHANGE_TYPE = "x-delayed-message";
    private static final String TO = "sb-delay-to";
    private static final long LONGEST = (1L << 32) - 1;

    private final TopologyOptions names;

    PluginDelay(TopologyOptions names) {
        this.names = names;
    }

    @Override
    public void declare(Channel channel) throws IOException {
        String exchange = names.delayedExchange();
        channel.exchangeDeclare(exchange, EXCHANGE_TYPE, true, false, Map.of("x-delayed-type", "headers"));
        channel.exchangeBind(names.dueExchange(), exchange, "", Map.of("x-match", "all", TO, TO_BINDINGS));
        channel.exchangeBind(names.retryExchange(), exchange, "", Map.of("x-match", "all", TO, TO_QUEUE));
    }

    @Override
    public void reconnected() {}

    @Override
    public Destination delayed(Route route, Duration delay, ChannelSource channels) {
        long millis = delay.plusNanos(999_999).toMillis();
        if (millis > LONGEST) {
            throw new InvalidPublicationException(
                    "Delay too long for the delayed message exchange plugin [delay=%s]: at most %d ms. Use safebunny.delay.strategy=ladder."
                            .formatted(delay, LONGEST));
        }
        return new Destination(
                names.delayedExchange(),
                route.routingKey(),
                false,
                Map.of("x-delay", millis, TO, Delay.finalHop(route)));
    }
}
