// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The broker permissions that a node's user needs, and the exceptions for missing ones. Keep in step with docs/permissions.md. */
public record Permissions(String node, TopologyOptions names) {

    private static final Pattern WORDS = Pattern.compile(
            "(?:(configure|write|read) )?access to (.+) in vhost '(.*)' refused for user '(.*)'", Pattern.DOTALL);

    /** Code of all exceptions made here. */
    public static final String MISSING = "SB-1204";

    private static final String NONE = "^$";

    public Permissions(Topology topology) {
        this(topology.node(), topology.options());
    }

    /** For a node that declares its queues and the shared exchanges itself. */
    private String broad() {
        return "^(%s(\\..*)?|%s-.*)$".formatted(quoted(names.prefix()), quoted(node));
    }

    /** Matches the routing keys of the node's publications. */
    private String published() {
        return "^%s-[A-Za-z][A-Za-z0-9_$]*$".formatted(quoted(node));
    }

    /** Matches the routing keys with which the node sends to its own queues, shards included. */
    private String own() {
        return "^%s-[A-Za-z][A-Za-z0-9_$]*(\\.[0-9]+)?$".formatted(quoted(node));
    }

    private String written() {
        return "^%s(\\.own|\\.later)?$".formatted(quoted(names.prefix()));
    }

    private String read() {
        return "^%s-([A-Za-z][A-Za-z0-9_$]*(\\.(in|[0-9]+))?|dead-letters|poison-watch)$".formatted(quoted(node));
    }

    /** The dot is the only special character that names may contain. */
    private static String quoted(String name) {
        return name.replace(".", "\\.");
    }

    /** The exception for a queue or exchange that is missing, or a binding that cannot be declared. */
    ConfigurationException missingToDeclare(String what, String words) {
        Refusal refusal = Refusal.of(words);
        return new ConfigurationException(
                MISSING,
                "%s for the %s: %s.".formatted(refusal.lacks("configure"), what, words),
                "Let the node declare what it needs: %s. Where nodes do not trust each other, let an administrator set it up instead, see docs/permissions.md."
                        .formatted(refusal.command(broad(), broad(), broad())));
    }

    /**
     * The exception for a queue or binding that this user may not remove.
     *
     * @param permission the permission that this user lacks if the broker does not say it: {@code configure} or {@code write}
     */
    public ConfigurationException missingToRemove(String permission, String what, String words) {
        Refusal refusal = Refusal.of(words);
        return new ConfigurationException(
                MISSING,
                "%s, so the %s stays: %s.".formatted(refusal.lacks(permission), what, words),
                "Run this as an administrator's user (spring.rabbitmq.username), or grant: %s."
                        .formatted(refusal.command(broad(), broad(), broad())));
    }

    /** @param permission the permission that this user lacks: {@code read} or {@code write} */
    public ConfigurationException missingToRun(String permission, String words) {
        Refusal refusal = Refusal.of(words);
        String topics = List.of(names.mainExchange(), names.ownExchange(), names.laterExchange()).stream()
                .map(exchange -> refusal.topicCommand(
                        exchange, exchange.equals(names.ownExchange()) ? own() : published(), NONE))
                .collect(Collectors.joining("; "));
        return new ConfigurationException(
                MISSING,
                "%s: %s.".formatted(refusal.lacks(permission), words),
                "Set the permissions it needs: %s. To restrict the node to its own routing keys: %s. Both grant the minimum, see docs/permissions.md."
                        .formatted(refusal.command(NONE, written(), read()), topics));
    }

    /** The broker's reply, parsed. Older brokers do not say which permission is missing. */
    private record Refusal(String permission, String resource, String virtualHost, String user) {

        static Refusal of(String words) {
            Matcher matcher = WORDS.matcher(words);
            return matcher.find()
                    ? new Refusal(
                            matcher.group(1) == null ? "" : matcher.group(1),
                            matcher.group(2),
                            matcher.group(3),
                            matcher.group(4))
                    : new Refusal("", "", "/", "USER");
        }

        String lacks(String assumed) {
            return "The broker user '%s' lacks the %s permission on %s in virtual host '%s'"
                    .formatted(user, permission.isEmpty() ? assumed : permission, resource, virtualHost);
        }

        String command(String configure, String write, String read) {
            return "rabbitmqctl set_permissions -p '%s' '%s' '%s' '%s' '%s'"
                    .formatted(virtualHost, user, configure, write, read);
        }

        String topicCommand(String exchange, String write, String read) {
            return "rabbitmqctl set_topic_permissions -p '%s' '%s' '%s' '%s' '%s'"
                    .formatted(virtualHost, user, exchange, write, read);
        }
    }
}
