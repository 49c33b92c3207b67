// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rabbit.connection.BrokerVersion;
import io.safebunny.topology.Topology;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Compares the broker's acknowledgement timeout with how long in-memory retries hold a delivery. Pure.
 *
 * @param version of the broker; empty if unknown
 * @param virtualHost of the queues
 * @see <a href="https://www.rabbitmq.com/docs/consumers#acknowledgement-timeout">RabbitMQ: acknowledgement timeout</a>
 */
record AcknowledgementTimeout(String version, String virtualHost) {

    private static final Duration DEFAULT = Duration.ofMinutes(30);
    private static final String SETTING = "consumer-timeout";

    /**
     * The timeout of one queue.
     *
     * @param source where it is set
     * @param remedy how to raise it
     */
    private record Limit(Duration after, String source, String remedy) {}

    /**
     * Describes a handler whose in-memory retries outlast the timeout, and what to do; {@code null} if they do not.
     *
     * @param planned the handler's queue
     * @param found the queue on the broker; {@code null} if it could not be asked or does not exist yet
     */
    @Nullable
    String finding(HandlerDefinition handler, Topology.Queue planned, @Nullable QueueFacts found) {
        Duration waits = handler.recovery().inMemory().total();
        Limit limit = limit(planned, found, waits.multipliedBy(2).toMillis());
        if (limit == null || waits.compareTo(limit.after()) < 0) {
            return null;
        }
        return "Queue '%s': the in-memory retries of %s wait up to %s in total, plus the handler's own run time, but the broker takes a delivery back after %s (%s). The message is then redelivered and its retries start over, so the last ones never happen. Set fewer or shorter retries (safebunny.retry, or `retry` of the handler), use delayed retries instead (safebunny.delayed-retry.delays), or raise the timeout: %s"
                .formatted(planned.name(), handler.description(), waits, limit.after(), limit.source(), limit.remedy());
    }

    /**
     * @param enough a sufficient timeout in milliseconds
     * @return {@code null} if the broker waits for ever
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
        // the lower one applies
        long lower = Math.min(byArgument, byPolicy);
        if (found == null || lower == Long.MAX_VALUE) {
            return byDefault(planned.name(), found, enough);
        }
        if (lower <= 0) {
            // undocumented; it may mean that the broker waits for ever
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
                ? "the broker's default; a policy or consumer_timeout in rabbitmq.conf may change it, neither could be read"
                : "the broker's default, as no policy or argument sets it; consumer_timeout in rabbitmq.conf may, but cannot be read";
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

    /** The advice to extend the existing policy. A new one would disable it, because only one user policy applies to a queue. */
    private String within(String policy, long enough) {
        return "\"%s\":%s in the definition of policy '%s', by rabbitmqctl set_policy with its name and pattern, which rabbitmqctl list_policies -p '%s' prints"
                .formatted(SETTING, enough, policy, virtualHost);
    }

    private static long millis(@Nullable Object setting) {
        return setting instanceof Number number ? number.longValue() : Long.MAX_VALUE;
    }
}
