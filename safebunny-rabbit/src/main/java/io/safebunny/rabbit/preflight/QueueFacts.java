// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A queue on the broker, with the policies that apply to it. Immutable.
 *
 * @param type {@code quorum} or {@code classic}
 * @param arguments it was declared with, such as {@code x-message-ttl}; they win over policies
 * @param policies the settings of all policies combined, such as {@code message-ttl}
 * @param policy name of the user's policy, the only one that may set a {@code consumer-timeout}; empty for none
 * @param operatorPolicy name of the operator's policy; empty for none
 */
record QueueFacts(
        String type,
        Map<String, Object> arguments,
        Map<String, Object> policies,
        String policy,
        String operatorPolicy) {

    private static final String DELIVERY_LIMIT = "delivery-limit";

    /** The differences between the queue and the node's needs, each with its effect and what to do. */
    List<String> findings(Topology.Queue planned) {
        List<String> findings = new ArrayList<>();
        String queue = "Queue '%s'".formatted(planned.name());
        String wantedType = String.valueOf(planned.arguments().getOrDefault("x-queue-type", "classic"));
        if (!type.equals(wantedType)) {
            findings.add("%s is a %s queue, but this node declares a %s queue. See SB-1201 in docs/errors.md"
                    .formatted(queue, type, wantedType));
        }
        bounds(planned).forEach((setting, effect) -> {
            Object argument = arguments.get("x-" + setting);
            findings.add(
                    argument == null
                            ? "%s has %s=%s by policy %s: %s. Exclude the queue from the policy"
                                    .formatted(queue, setting, policies.get(setting), policyNames(), effect)
                            : "%s has the argument x-%s=%s: %s. Delete the queue when it is empty and let the node declare it again, without that argument"
                                    .formatted(queue, setting, argument, effect));
        });
        Object wantedExchange = planned.arguments().get("x-dead-letter-exchange");
        Object exchange = effective("dead-letter-exchange");
        if (wantedExchange != null && !wantedExchange.equals(exchange)) {
            findings.add(
                    "%s dead-letters to %s instead of '%s', so dead-lettered messages are %s. Set it as described in docs/permissions.md"
                            .formatted(
                                    queue,
                                    exchange == null ? "nowhere" : "'" + exchange + "'",
                                    wantedExchange,
                                    exchange == null ? "lost" : "not in the poison queue"));
        } else if (wantedExchange != null
                && type.equals("quorum")
                && !"at-least-once".equals(effective("dead-letter-strategy"))) {
            findings.add(
                    "%s dead-letters at most once, so messages can be lost on the way. Set dead-letter-strategy=at-least-once and overflow=reject-publish"
                            .formatted(queue));
        }
        String limit = limit(planned);
        if (limit != null) {
            findings.add("%s %s".formatted(queue, limit));
        }
        return findings;
    }

    /** Settings of policies and arguments that remove messages, with their effect, except those that the node sets itself. */
    private Map<String, String> bounds(Topology.Queue planned) {
        Map<String, String> effects = new TreeMap<>();
        if (effective("message-ttl") != null && !planned.arguments().containsKey("x-message-ttl")) {
            effects.put("message-ttl", "messages that wait longer are dead-lettered or dropped unhandled");
        }
        if (effective("expires") != null) {
            effects.put("expires", "the queue is deleted with its messages while no instance runs");
        }
        boolean refuses = String.valueOf(effective("overflow")).startsWith("reject-publish");
        for (String length : List.of("max-length", "max-length-bytes")) {
            if (effective(length) != null && !planned.arguments().containsKey("x-max-length")) {
                effects.put(
                        length,
                        refuses
                                ? "publications are refused while it is full"
                                : "its oldest messages are dropped when it is full");
            }
        }
        return effects;
    }

    /** What is wrong with the delivery limit. Only quorum queues have one; if both argument and policy set it, the lower one applies. */
    private @Nullable String limit(Topology.Queue planned) {
        Object wanted = planned.arguments().get("x-" + DELIVERY_LIMIT);
        if (!(wanted instanceof Number number) || !type.equals("quorum")) {
            return null;
        }
        Object byPolicy = policies.get(DELIVERY_LIMIT);
        Object byArgument = arguments.get("x-" + DELIVERY_LIMIT);
        if (byPolicy instanceof Number lower && lower.longValue() >= 0 && lower.longValue() < number.longValue()) {
            return "has delivery-limit=%s by policy %s, but this node asks for %s, so messages are dead-lettered earlier. Exclude the queue from the policy, or set safebunny.topology.delivery-limit to its value"
                    .formatted(lower, policyNames(), wanted);
        }
        if (byPolicy == null && byArgument == null) {
            return "has no delivery limit: before RabbitMQ 4.0 a message that crashes its process is redelivered for ever. Set delivery-limit=%s by a policy"
                    .formatted(wanted);
        }
        return null;
    }

    private String policyNames() {
        return Stream.of(policy, operatorPolicy)
                .filter(name -> !name.isEmpty())
                .map(name -> "'" + name + "'")
                .collect(Collectors.joining(" and "));
    }

    private @Nullable Object effective(String setting) {
        Object argument = arguments.get("x-" + setting);
        return argument != null ? argument : policies.get(setting);
    }
}
