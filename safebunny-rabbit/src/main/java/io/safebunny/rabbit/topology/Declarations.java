// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.topology.Topology;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Declares exchanges, queues and bindings one by one, continuing on a new channel when the broker closes the last one with an error. A user
 * with configure permission declares, so that the broker compares what exists; without it, only existence is checked. Never deletes
 * anything. Not thread-safe.
 */
public final class Declarations implements Broker, AutoCloseable {

    /** Opens declarations, which the caller must close. */
    @FunctionalInterface
    public interface Source {
        Declarations open() throws IOException;
    }

    @FunctionalInterface
    public interface Question {
        void ask(Channel channel) throws IOException;
    }

    private enum Kind {
        EXCHANGE,
        QUEUE
    }

    private final Connection connection;
    private final Permissions permissions;
    /**
     * The kinds of objects that this user may not declare. After the first refusal, existence is checked before declaring, because the
     * broker logs an error for each refusal.
     */
    private final Set<Kind> refused = EnumSet.noneOf(Kind.class);

    private @Nullable Channel channel;

    private Declarations(Connection connection, Permissions permissions) {
        this.connection = connection;
        this.permissions = permissions;
    }

    public static Declarations on(Connection connection, Topology topology) {
        return new Declarations(connection, new Permissions(topology));
    }

    /** @throws ConfigurationException SB-1201 for a clash; SB-1204 if it is missing and this user may not declare it */
    @Override
    public boolean exchange(String name, String type, Map<String, Object> arguments) throws IOException {
        return declare(
                Kind.EXCHANGE,
                "exchange '" + name + "'",
                open -> open.exchangeDeclare(name, type, true, false, arguments),
                open -> open.exchangeDeclarePassive(name));
    }

    /** @throws ConfigurationException as {@link #exchange} */
    @Override
    public boolean queue(String name, Map<String, Object> arguments) throws IOException {
        return declare(
                Kind.QUEUE,
                "queue '" + name + "'",
                open -> open.queueDeclare(name, true, false, false, arguments),
                open -> open.queueDeclarePassive(name));
    }

    private boolean declare(Kind kind, String what, Question active, Question passive) throws IOException {
        if (!refused.contains(kind)) {
            AMQP.Channel.Close refusal = refusal(what, active);
            if (refusal == null) {
                return true;
            }
            requireForbidden(refusal);
            refused.add(kind);
        }
        AMQP.Channel.Close absent = refusal(what, passive);
        if (absent == null || absent.getReplyCode() == AMQP.ACCESS_REFUSED) {
            return false;
        }
        AMQP.Channel.Close refusal = refusal(what, active);
        if (refusal != null) {
            requireForbidden(refusal);
            throw permissions.missingToDeclare(what + ", which does not exist", refusal.getReplyText());
        }
        return true;
    }

    /** @throws ConfigurationException SB-1204 for a missing permission */
    @Override
    public void bindQueue(String queue, String exchange, String routingKey, Map<String, Object> arguments)
            throws IOException {
        bind(
                "binding of queue '%s' to exchange '%s'".formatted(queue, exchange),
                open -> open.queueBind(queue, exchange, routingKey, arguments));
    }

    /** @throws ConfigurationException SB-1204 for a missing permission */
    @Override
    public void bindExchange(String exchange, String from, String routingKey, Map<String, Object> arguments)
            throws IOException {
        bind(
                "binding of exchange '%s' to exchange '%s'".formatted(exchange, from),
                open -> open.exchangeBind(exchange, from, routingKey, arguments));
    }

    private void bind(String what, Question binding) throws IOException {
        AMQP.Channel.Close refusal = refusal(what, binding);
        if (refusal != null) {
            requireForbidden(refusal);
            throw permissions.missingToDeclare(what, refusal.getReplyText());
        }
    }

    /** Throws on other refusals, so that the declaration is retried: they may be temporary, such as a queue whose broker node is down. */
    private static void requireForbidden(AMQP.Channel.Close refusal) throws IOException {
        if (refusal.getReplyCode() != AMQP.ACCESS_REFUSED) {
            throw new IOException(refusal.getReplyText());
        }
    }

    /**
     * Returns {@code null} on success, or the refusal: not found (404) or not permitted (403).
     *
     * @throws ConfigurationException SB-1201 for a clash
     */
    public AMQP.Channel.@Nullable Close refusal(String what, Question question) throws IOException {
        try {
            question.ask(open());
            return null;
        } catch (IOException | ShutdownSignalException e) {
            AMQP.Channel.Close close = Channels.closeReason(e);
            if (close == null) {
                throw e;
            }
            return switch (close.getReplyCode()) {
                case AMQP.NOT_FOUND, AMQP.ACCESS_REFUSED -> close;
                case AMQP.PRECONDITION_FAILED -> throw clash(what, close.getReplyText(), e);
                default -> throw e;
            };
        }
    }

    private static ConfigurationException clash(String what, String words, Exception cause) {
        Clash clash = Clash.of(words);
        return clash != null
                ? clash.toException(cause)
                : new ConfigurationException(
                        "SB-1201",
                        "The broker has the %s with other properties than this node asks for: %s. Nothing was changed."
                                .formatted(what, words),
                        "Set safebunny.topology.* and safebunny.delay.strategy to match it, or drain and delete it on the broker; the next start declares it again.",
                        cause);
    }

    private Channel open() throws IOException {
        Channel present = channel;
        if (present == null || !present.isOpen()) {
            present = Channels.open(connection);
            channel = present;
        }
        return present;
    }

    @Override
    public void close() {
        if (channel != null) {
            Channels.closeQuietly(channel);
        }
    }
}
