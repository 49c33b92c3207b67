// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.Channel;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Delays by a ladder of durable quorum queues, rung <i>n</i> holding every message for 2<sup>n</sup> ms. A delay is the sum of
 * some rungs; headers lead a message from rung to rung by dead-lettering, the longest first. All messages of a rung wait
 * equally long, so none holds another back. A delay is rounded up to the {@link #resolution}, never down.
 *
 * <p>The routing key stays that of the final destination, which is why steering is by headers. Rungs and the steps between
 * them are declared when first needed. Dead-lettering is at-least-once, so a crash of the broker loses nothing. It also means that a
 * broker holds what has no way out of a rung, and after a few dozen of those everything behind them: those that any node might write
 * leave by the exchange's alternate.
 */
final class LadderDelay implements Delay {

    static final String FIRST = "sb-delay";
    private static final int LOWEST_RUNG = 4;
    private static final int END = -1;

    private final TopologyOptions names;
    private final Set<Step> declared = ConcurrentHashMap.newKeySet();

    LadderDelay(TopologyOptions names) {
        this.names = names;
    }

    @Override
    public void declare(Channel channel) throws IOException {
        channel.exchangeDeclare(names.delayedExchange(), "headers", true);
    }

    @Override
    public void reconnected() {
        declared.clear();
    }

    @Override
    public Destination delayed(Route route, Duration delay, ChannelSource channels) throws IOException {
        List<Step> steps = new ArrayList<>();
        Map<String, Object> headers = new HashMap<>();
        String exchange = names.delayedExchange();
        String header = FIRST;
        for (int rung : rungs(delay)) {
            String name = name(rung);
            steps.add(new Step(exchange, header, name, rung));
            headers.put(header, name);
            exchange = names.delayedExchange() + '.' + name;
            header = FIRST + '-' + name;
        }
        String end = Delay.finalHop(route);
        steps.add(new Step(exchange, header, end, END));
        headers.put(header, end);
        declareMissing(steps, channels);
        return new Destination(names.delayedExchange(), route.routingKey(), true, headers);
    }

    /** Granularity in milliseconds: 16 below a minute, 256 below an hour, 1,024 beyond. */
    static long resolution(long millis) {
        return millis < 60_000 ? 16 : millis < 3_600_000 ? 256 : 1_024;
    }

    /** Exponents of two whose sum in milliseconds is the delay, rounded up; the longest first. */
    static List<Integer> rungs(Duration delay) {
        long millis = delay.plusNanos(999_999).toMillis();
        long resolution = resolution(millis);
        long rounded = Math.max(1, (millis + resolution - 1) / resolution) * resolution;
        List<Integer> rungs = new ArrayList<>();
        for (int rung = 63 - Long.numberOfLeadingZeros(rounded); rung >= LOWEST_RUNG; rung--) {
            if ((rounded >>> rung & 1) == 1) {
                rungs.add(rung);
            }
        }
        return rungs;
    }

    private static String name(int rung) {
        return rung < 10 ? "0" + rung : Integer.toString(rung);
    }

    /**
     * From one exchange on, messages whose header has this value go to a rung, or, at the end, to where the route begins.
     *
     * @param rung {@link #END} at the end
     */
    private record Step(String exchange, String header, String value, int rung) {}

    private void declareMissing(List<Step> steps, ChannelSource channels) throws IOException {
        List<Step> missing =
                steps.stream().filter(step -> !declared.contains(step)).toList();
        if (missing.isEmpty()) {
            return;
        }
        Channel channel = channels.open();
        try {
            for (Step step : missing) {
                TopologyDeclarer.declaring(
                        "rung of the delay ladder '%s'".formatted(step.value), () -> declare(channel, step));
                declared.add(step);
            }
        } finally {
            Channels.closeQuietly(channel);
        }
    }

    private void declare(Channel channel, Step step) throws IOException {
        Map<String, Object> arguments = Map.of("x-match", "all", step.header, step.value);
        if (step.rung == END) {
            String target = step.value.equals(TO_QUEUE) ? names.retryExchange() : names.dueExchange();
            channel.exchangeBind(target, step.exchange, "", arguments);
            return;
        }
        String rung = names.delayedExchange() + '.' + step.value;
        channel.exchangeDeclare(rung, "headers", true, false, Map.of("alternate-exchange", names.unrouted()));
        channel.queueDeclare(rung, true, false, false, rungArguments(step.rung, rung));
        channel.queueBind(rung, step.exchange, "", arguments);
    }

    private static Map<String, Object> rungArguments(int rung, String deadLetterExchange) {
        return Map.of(
                "x-queue-type", "quorum",
                "x-message-ttl", 1L << rung,
                "x-dead-letter-exchange", deadLetterExchange,
                "x-dead-letter-strategy", "at-least-once",
                "x-overflow", "reject-publish");
    }
}
