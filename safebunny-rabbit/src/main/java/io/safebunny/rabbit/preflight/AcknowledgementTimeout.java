// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rabbit.connection.BrokerVersion;
import io.safebunny.topology.Topology;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Compares how long a broker waits for the acknowledgement of a delivery with how long in-memory retries hold it. Pure.
 *
 * @param version of the broker; empty when it is not known
 * @param virtualHost of the queues
 * @see <a href="https://www.rabbitmq.com/docs/consumers#acknowledgement-timeout">RabbitMQ: acknowledgement timeout</a>
 */
record AcknowledgementTimeout(String version, String virtualHost) {

    private static final Duration DEFAULT = Duration.ofMinutes(30);
    private static final String SETTING = "consumer-timeout";

    /**
     * What the broker does to one queue.
     *
     * @param source who says so
     * @param remedy how to have it wait long enough
     */
    private record Limit(Duration after, String source, String remedy) {}

    /**
     * What is wrong with a handler whose in-memory retries wait longer than that, and what to do; {@code null} for nothing.
     *
     * @param planned the handler's queue
     * @param found the same on the broker; {@code null} when nobody could be asked, or it is not there yet
     */
    @Nullable
    String finding(HandlerDefinition handler, Topology.Queue planned, @Nullable QueueFacts found) {
        Duration waits = handler.recovery().inMemory().total();
        Limit limit = limit(planned, found, waits.multipliedBy(2).toMillis());
        if (limit == null || waits.compareTo(limit.after()) < 0) {
            return null;
        }
        return "Queue '%s': the in-memory retries of %s wait up to %s in all, on top of which comes the time that the handler itself takes, and the broker takes a delivery back after %s (%s). The message is then delivered again and its tries begin anew, so the last ones are never made. Have fewer or shorter ones (safebunny.retry, or `retry` of the handler), delayed ones instead (safebunny.delayed-retry.delays), or a longer timeout: %s"
                .formatted(planned.name(), handler.description(), waits, limit.after(), limit.source(), limit.remedy());
    }

    /**
     * @param enough milliseconds
     * @return {@code null} when the broker waits for ever
     */
    private @Nullable Limit limit(Topology.Queue planned, @Nullable QueueFacts found, long enough) {
        String type = found == null
                ? String.valueOf(planned.arguments().getOrDefault("x-queue-type", "classic"))
                : found.type();
        if (type.equals("classic") && BrokerVersion.isAtLeast(version, 4, 3)) {
            return null;
        }
        long byArgument =
                found == null ? Long.MAX_VALUE : millis(found.arguments().get("x-" + SETTING));
        long byPolicy = found == null ? Long.MAX_VALUE : millis(found.policies().get(SETTING));
        long lower = Math.min(byArgument, byPolicy); // which is the one that counts
        if (found == null || lower == Long.MAX_VALUE) {
            return byDefault(planned.name(), found, enough);
        }
        if (lower <= 0) { // which is not documented: at once, or never
            return null;
        }
        return byArgument == lower
                ? new Limit(
                        Duration.ofMillis(lower),
                        "by the queue's argument x-" + SETTING,
                        "delete the queue when it is empty and let the node declare it again, without that argument")
                : new Limit(
                        Duration.ofMillis(lower),
                        "by policy '%s'".formatted(found.policy()),
                        within(found.policy(), enough));
    }

    private Limit byDefault(String queue, @Nullable QueueFacts found, long enough) {
        String source = found == null
                ? "the broker's default; a policy or consumer_timeout in rabbitmq.conf may say otherwise, and could not be asked for"
                : "the broker's default, as no policy or argument says otherwise; consumer_timeout in rabbitmq.conf may, and cannot be asked for";
        return new Limit(DEFAULT, source, remedy(queue, found, enough));
    }

    private String remedy(String queue, @Nullable QueueFacts found, long enough) {
        String inFile = "consumer_timeout = %s in rabbitmq.conf".formatted(enough);
        if (!version.isEmpty() && !BrokerVersion.isAtLeast(version, 3, 12)) {
            return inFile;
        }
        if (found != null && !found.policy().isEmpty()) {
            return within(found.policy(), enough);
        }
        String command = "rabbitmqctl set_policy -p '%s' --apply-to queues '%s' '^%s$' '{\"%s\":%s}'"
                .formatted(virtualHost, queue, queue.replaceAll("([.$])", "\\\\$1"), SETTING, enough);
        return version.isEmpty() ? "%s (before RabbitMQ 3.12: %s)".formatted(command, inFile) : command;
    }

    /** Only one policy applies to a queue, beside an operator's, so a further one would take away what this one sets. */
    private String within(String policy, long enough) {
        return "\"%s\":%s in the definition of policy '%s', by rabbitmqctl set_policy with its name and pattern, which rabbitmqctl list_policies -p '%s' prints"
                .formatted(SETTING, enough, policy, virtualHost);
    }

    private static long millis(@Nullable Object setting) {
        return setting instanceof Number number ? number.longValue() : Long.MAX_VALUE;
    }
}
