// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which user of the broker each node publishes as. The broker compares the {@code user_id} of a message with who sends it, so that it
 * proves the sender, where a routing key and {@code app_id} only claim it. Types none of whose senders is named are not checked.
 *
 * @param byNode names the consuming node itself too: its delayed retries come back under its own user
 */
public record TrustedUsers(Map<String, String> byNode) {

    private static final Logger LOG = LoggerFactory.getLogger(TrustedUsers.class);

    public static final TrustedUsers UNCHECKED = new TrustedUsers(Map.of());

    public TrustedUsers {
        byNode = Map.copyOf(byNode);
    }

    /**
     * Warns of named nodes that send nothing: where a name is misspelt, nothing is checked of whom was meant.
     *
     * @throws ConfigurationException SB-1308 when some of the senders of a type are named, and not all, or the node itself is not
     */
    public void requireAll(String node, List<HandlerDefinition> handlers) {
        Collection<String> idle = new TreeSet<>(byNode.keySet());
        idle.remove(node);
        for (HandlerDefinition handler : handlers) {
            requireAll(node, handler.type(), handler.from());
            handler.from().forEach(idle::remove);
        }
        if (!idle.isEmpty()) {
            LOG.warn(
                    "safebunny.listener.trusted-users names {}, from which no handler of node {} takes anything. If a name is misspelt, messages of the node that was meant are not checked",
                    idle,
                    node);
        }
    }

    private void requireAll(String node, String type, List<String> from) {
        if (!isChecked(from)) {
            return;
        }
        Collection<String> missing = new TreeSet<>(from);
        missing.add(node);
        missing.removeAll(byNode.keySet());
        if (!missing.isEmpty()) {
            throw new ConfigurationException(
                    "SB-1308",
                    "The senders of type %s are to be told by their broker users [safebunny.listener.trusted-users], but not all of them, with this node, are named: %s is missing."
                            .formatted(type, missing),
                    "Set safebunny.listener.trusted-users[%s] to the user that it connects to the broker as."
                            .formatted(missing.iterator().next()));
        }
    }

    /**
     * @param user that the node's own messages tell; {@code null} for none
     * @throws ConfigurationException SB-1308 when that is not whom it trusts: it would refuse its own retries
     */
    public void requireUser(String node, @Nullable String user) {
        String named = byNode.get(node);
        if (named != null && user == null) {
            throw new ConfigurationException(
                    "SB-1308",
                    "This node is trusted as a user that its messages do not tell [safebunny.listener.trusted-users[%s]=%s]: it would refuse its own delayed retries."
                            .formatted(node, named),
                    "Remove your RabbitTransportOptions bean, or make it with tellsUser=true.");
        }
        if (named != null && !named.equals(user)) {
            throw new ConfigurationException(
                    "SB-1308",
                    "This node is trusted as another user than it connects to the broker as [safebunny.listener.trusted-users[%s]=%s, spring.rabbitmq.username=%s]."
                            .formatted(node, named, user),
                    "Set safebunny.listener.trusted-users[%s] to the user of the connection.".formatted(node));
        }
    }

    /** Whether a type that comes from these is taken from their users only. */
    public boolean isChecked(List<String> from) {
        return from.stream().anyMatch(byNode::containsKey);
    }

    /**
     * @param node the consuming one
     * @param user who sent the message, as the broker made sure of; {@code null} when that was not told
     * @throws InvalidMessageException {@code missing-property}
     */
    public void require(String node, List<String> from, @Nullable String user, Envelope envelope) {
        if (!isChecked(from) || (user != null && isTrusted(node, from, user, envelope.node()))) {
            return;
        }
        throw new InvalidMessageException(
                PoisonReason.MISSING_PROPERTY,
                "%s [user_id=%s, app_id=%s]: nodes %s are trusted under the users of safebunny.listener.trusted-users only."
                        .formatted(
                                user == null ? "Missing property" : "Untrusted property",
                                user == null ? "" : Names.printable(user),
                                envelope.node(),
                                from));
    }

    /** Copies that the node itself sent back keep the name of the first sender. */
    private boolean isTrusted(String node, List<String> from, String user, String claimed) {
        if (user.equals(byNode.get(node))) {
            return true;
        }
        return claimed.isEmpty()
                ? from.stream().anyMatch(sender -> user.equals(byNode.get(sender)))
                : from.contains(claimed) && user.equals(byNode.get(claimed));
    }
}
