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
 * Which broker user each node publishes as. The broker checks the {@code user_id} of a message, so it proves who sent it, while routing key
 * and {@code app_id} only claim it. A type is checked if at least one of its senders is named here. Immutable.
 *
 * @param byNode user by node, including the consuming node itself, because its delayed retries come back under its own user
 */
public record TrustedUsers(Map<String, String> byNode) {

    private static final Logger LOG = LoggerFactory.getLogger(TrustedUsers.class);

    public static final TrustedUsers UNCHECKED = new TrustedUsers(Map.of());

    public TrustedUsers {
        byNode = Map.copyOf(byNode);
    }

    /**
     * Warns about named nodes that send nothing here: if a name is misspelt, messages of the intended node are not checked.
     *
     * @throws ConfigurationException SB-1308 if only some of the senders of a type are named, or the node itself is not
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
                    "safebunny.listener.trusted-users names {}, but no handler of node {} takes messages from there. Check the names: if one is misspelt, messages of the intended node are not checked",
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
                    "The senders of type %s are checked by their broker users [safebunny.listener.trusted-users], so all of them and this node must be named: %s is missing."
                            .formatted(type, missing),
                    "Set safebunny.listener.trusted-users[%s] to the user that it connects to the broker as."
                            .formatted(missing.iterator().next()));
        }
    }

    /**
     * @param user the {@code user_id} of the node's own messages; {@code null} if they have none
     * @throws ConfigurationException SB-1308 if the node does not trust that user, because it would refuse its own retries
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
                    "This node connects to the broker as another user than it is trusted as [safebunny.listener.trusted-users[%s]=%s, spring.rabbitmq.username=%s]: it would refuse its own delayed retries."
                            .formatted(node, named, user),
                    "Set safebunny.listener.trusted-users[%s] to the user of the connection.".formatted(node));
        }
    }

    /** Whether messages of these nodes are accepted only from their broker users. */
    public boolean isChecked(List<String> from) {
        return !byNode.isEmpty() && from.stream().anyMatch(byNode::containsKey);
    }

    /**
     * @param node the consuming node
     * @param user who sent the message, as checked by the broker; {@code null} if the message does not say
     * @throws InvalidMessageException {@code missing-property}
     */
    public void require(String node, List<String> from, @Nullable String user, Envelope envelope) {
        if (!isChecked(from) || (user != null && isTrusted(node, from, user, envelope.node()))) {
            return;
        }
        throw new InvalidMessageException(
                PoisonReason.MISSING_PROPERTY,
                "%s [user_id=%s, app_id=%s]: messages of nodes %s are accepted only from the users in safebunny.listener.trusted-users. Check who sent this one; if a node has a new user, set it there."
                        .formatted(
                                user == null ? "Missing property" : "Untrusted property",
                                user == null ? "" : Names.printable(user),
                                envelope.node(),
                                from));
    }

    /** Copies that the node itself sent back still name the first sender, under its own user. */
    private boolean isTrusted(String node, List<String> from, String user, String claimed) {
        if (user.equals(byNode.get(node))) {
            return true;
        }
        return claimed.isEmpty()
                ? from.stream().anyMatch(sender -> user.equals(byNode.get(sender)))
                : from.contains(claimed) && user.equals(byNode.get(claimed));
    }
}
