// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import com.rabbitmq.client.Address;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.rabbit.BrokerConnections;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory.AddressShuffleMode;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ReflectionUtils;

/**
 * The three connections of a node, {@code {node}:publish}, {@code {node}:consume} and {@code {node}:dead-letters}: copies of the
 * application's connection factory, so that none disturbs the others. They are not beans, because a second {@link
 * ConnectionFactory} bean would make {@code RabbitTemplate} and Boot's health and metrics ambiguous.
 */
final class RabbitConnections implements AutoCloseable {

    private static final int LONGEST_RPC_MILLIS = 30_000;
    private static final Duration CLOSE = Duration.ofSeconds(5);

    private final CachingConnectionFactory publish;
    private final CachingConnectionFactory consume;
    private final CachingConnectionFactory deadLetters;
    private final Timeline timeline;

    private RabbitConnections(
            CachingConnectionFactory publish,
            CachingConnectionFactory consume,
            CachingConnectionFactory deadLetters,
            Timeline timeline) {
        this.publish = publish;
        this.consume = consume;
        this.deadLetters = deadLetters;
        this.timeline = timeline;
    }

    /** @throws ConfigurationException SB-1304 or SB-1305 when there is no factory that can be copied */
    static AbstractConnectionFactory template(ObjectProvider<ConnectionFactory> factories) {
        ConnectionFactory factory = factories.getIfUnique();
        if (factory == null) {
            throw new ConfigurationException(
                    "SB-1304",
                    ("No connection settings for RabbitMQ: there are %s beans of type %s, and SafeBunny needs "
                                    + "one, or one marked @Primary.")
                            .formatted(factories.stream().count(), ConnectionFactory.class.getName()),
                    "Keep Spring Boot's RabbitAutoConfiguration, mark one of your own beans @Primary, or set "
                            + "safebunny.transport=memory.");
        }
        if (factory instanceof AbstractConnectionFactory template) {
            return template;
        }
        throw new ConfigurationException(
                "SB-1305",
                ("Unusable connection factory [type=%s]: SafeBunny copies its settings for its own "
                                + "connections, and needs a %s for that.")
                        .formatted(factory.getClass().getName(), CachingConnectionFactory.class.getName()),
                "Define your ConnectionFactory bean as a CachingConnectionFactory, remove it to use "
                        + "spring.rabbitmq.*, or define a Transport bean of your own.");
    }

    static RabbitConnections like(
            AbstractConnectionFactory template, String node, AddressShuffleMode shuffle, Timeline timeline) {
        return new RabbitConnections(
                copy(template, node + ":publish", shuffle),
                copy(template, node + ":consume", shuffle),
                copy(template, node + ":dead-letters", shuffle),
                timeline);
    }

    private static CachingConnectionFactory copy(
            AbstractConnectionFactory template, String name, AddressShuffleMode shuffle) {
        com.rabbitmq.client.ConnectionFactory client =
                template.getRabbitConnectionFactory().clone();
        client.setAutomaticRecoveryEnabled(false); // the transport reconnects on its own and redeclares its topology
        // a message over the client's limit would break the connection again and again instead of going to the poison
        // queue
        client.setMaxInboundMessageBodySize(Integer.MAX_VALUE);
        // by default a hanging broker would block start and stop for ten minutes
        client.setChannelRpcTimeout(Math.min(client.getChannelRpcTimeout(), LONGEST_RPC_MILLIS));
        CachingConnectionFactory copy = new CachingConnectionFactory(client);
        List<Address> addresses = addressesOf(template);
        if (addresses != null) {
            copy.setAddresses(addresses.stream().map(Address::toString).collect(Collectors.joining(",")));
        }
        copy.setAddressShuffleMode(shuffle);
        copy.setConnectionNameStrategy(factory -> name);
        copy.setBeanName(name);
        return copy;
    }

    /**
     * Returns {@code null} when the factory uses a single host and port. Asks the factory rather than Boot's {@code
     * RabbitConnectionDetails}, which do not describe a factory that the application made itself and will move to another
     * package.
     */
    @SuppressWarnings("unchecked") // as AbstractConnectionFactory declares it
    private static @Nullable List<Address> addressesOf(AbstractConnectionFactory template) {
        Method accessor = ReflectionUtils.findMethod(AbstractConnectionFactory.class, "getAddresses");
        if (accessor == null) {
            throw new ConfigurationException(
                    "SB-1305",
                    "The addresses of the connection factory cannot be read [type=%s]: this version of Spring AMQP has no AbstractConnectionFactory.getAddresses()."
                            .formatted(template.getClass().getName()),
                    "Use the version of Spring AMQP that Spring Boot brings.");
        }
        ReflectionUtils.makeAccessible(accessor);
        return (List<Address>) ReflectionUtils.invokeMethod(accessor, template);
    }

    /** Takes effect with the next connection. */
    void useTls(SSLContext context) {
        for (CachingConnectionFactory factory : List.of(publish, consume, deadLetters)) {
            com.rabbitmq.client.ConnectionFactory client = factory.getRabbitConnectionFactory();
            synchronized (client) { // the client reads the context under this lock
                client.useSslProtocol(context);
            }
        }
    }

    ConnectionFactory publish() {
        return publish;
    }

    BrokerConnections all() {
        return new BrokerConnections(publish, consume, deadLetters);
    }

    @Override
    public void close() {
        destroy(deadLetters);
        destroy(consume);
        destroy(publish);
    }

    /** Uses a thread of its own, because closing waits for a write, which blocks while the broker does not read. */
    private void destroy(CachingConnectionFactory factory) {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Thread closing = new Thread(
                () -> {
                    try {
                        factory.destroy();
                    } finally {
                        closed.complete(null);
                    }
                },
                "safebunny-destroy");
        closing.setDaemon(true);
        closing.start();
        try {
            boolean unused = Deadline.after(CLOSE, timeline).await(closed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
