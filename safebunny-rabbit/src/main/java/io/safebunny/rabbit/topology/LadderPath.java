// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import io.safebunny.message.Priority;
import io.safebunny.rabbit.connection.AmqpMessages;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The path of a message through the delay ladder. Rung <i>n</i> holds every message for 2<sup>n</sup> ms; a delay is a sum of rungs, the
 * longest first, and headers lead from one to the next. A year, the longest delay, needs rungs 4 (16 ms) to 34 (198 days). Delays are
 * rounded up to the {@link #resolution}, never down. Pure.
 *
 * <p>Messages of high priority have rungs of their own: RabbitMQ 4.0 to 4.2 puts them before the others of a queue and looks only at its
 * head for what has expired, so that they would hold the others back.
 */
final class LadderPath {

    static final int LOWEST_RUNG = 4;

    private static final String FIRST = AmqpMessages.LADDER;
    private static final int END = -1;
    private static final String HIGH = "h";

    private LadderPath() {}

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

    /**
     * @param high whether the message has a high priority, see {@link Priority#isHigh}
     * @param end header value for the route after the last rung
     */
    static List<Step> steps(List<Integer> rungs, boolean high, String end, TopologyOptions names) {
        List<Step> steps = new ArrayList<>();
        String exchange = names.delayedExchange();
        String header = FIRST;
        for (int rung : rungs) {
            String name = (high ? HIGH : "") + name(rung);
            steps.add(new Step(exchange, header, name, rung));
            exchange = names.delayedExchange() + '.' + name;
            header = FIRST + '-' + name;
        }
        steps.add(new Step(exchange, header, end, END));
        return steps;
    }

    private static String name(int rung) {
        return rung < 10 ? "0" + rung : Integer.toString(rung);
    }

    /**
     * A binding of the exchange: messages with this header value go to the next rung or, after the last rung, to the exchange that starts
     * their route.
     *
     * @param rung exponent of the next rung; {@link #END} for the last step
     */
    record Step(String exchange, String header, String value, int rung) {

        /** Name of the rung's queue and of the exchange behind it; for the last step, of the final exchange. */
        String target(TopologyOptions names) {
            return !isEnd()
                    ? names.delayedExchange() + '.' + value
                    : value.equals(Delay.TO_QUEUE) ? names.retryExchange() : names.dueExchange();
        }

        boolean isEnd() {
            return rung == END;
        }

        /** Arguments of the binding. */
        Map<String, Object> arguments() {
            return Map.of("x-match", "all", header, value);
        }
    }
}
