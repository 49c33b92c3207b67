// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.declare;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the user of a node needs on the broker, and what is said when it lacks some of it. The page docs/permissions.md has the same. */
public record Permissions(String node, TopologyOptions names) {

    private static final Pattern WORDS = Pattern.compile(
            "(?:(configure|write|read) )?access to (.+) in vhost '(.*)' refused for user '(.*)'", Pattern.DOTALL);

    /** Code of all that is thrown here. */
    public static final String MISSING = "SB-1204";

    private static final String NONE = "^$";

    public Permissions(Topology topology) {
        this(topology.node(), topology.options());
    }

    /** A node that creates its queues and the exchanges of all, once. */
    private String broad() {
        return "^(%s(\\..*)?|%s-.*)$".formatted(quoted(names.prefix()), quoted(node));
    }

    /** Its queues by their names, its publications by their routing keys. */
    private String own() {
        return "^%s-[A-Za-z][A-Za-z0-9_$]*$".formatted(quoted(node));
    }

    private String written() {
        return "^%s(\\.own|\\.later)?$".formatted(quoted(names.prefix()));
    }

    private String read() {
        return "^%s-([A-Za-z][A-Za-z0-9_$]*|dead-letters|poison-watch)$".formatted(quoted(node));
    }

    /** Names hold nothing else that means something in a regular expression. */
    private static String quoted(String name) {
        return name.replace(".", "\\.");
    }

    /** A queue or exchange is missing, or a binding cannot be made sure of. */
    ConfigurationException missingToDeclare(String what, String words) {
        Refusal refusal = Refusal.of(words);
        return new ConfigurationException(
                MISSING,
                "%s for the %s: %s.".formatted(refusal.lacks("configure"), what, words),
                "Where nodes do not trust each other, let an administrator prepare it, see docs/permissions.md. Otherwise let the node declare what it needs: %s"
                        .formatted(refusal.command(broad(), broad(), broad())));
    }

    /** @param permission that this user lacks to run */
    public ConfigurationException missingToRun(String permission, String words) {
        Refusal refusal = Refusal.of(words);
        String topics = List.of(names.mainExchange(), names.ownExchange(), names.laterExchange()).stream()
                .map(exchange -> refusal.topicCommand(exchange, own(), NONE))
                .collect(Collectors.joining("; "));
        return new ConfigurationException(
                MISSING,
                "%s: %s.".formatted(refusal.lacks(permission), words),
                "Permit it: %s; to keep the node to its own routing keys: %s. Both are the smallest that serve, see docs/permissions.md."
                        .formatted(refusal.command(NONE, written(), read()), topics));
    }

    /** The broker's words. Older ones do not say which permission it was. */
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
