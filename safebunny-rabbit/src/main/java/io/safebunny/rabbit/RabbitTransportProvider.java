// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportProvider;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Executor;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** {@link RabbitTransport}s by the address {@code amqp://USER:PASSWORD@HOST:PORT/VIRTUAL-HOST}, or {@code amqps}. Thread-safe. */
public final class RabbitTransportProvider implements TransportProvider {

    private static final RabbitTransportOptions OPTIONS =
            new RabbitTransportOptions(8, DelayStrategy.LADDER, false, Long.MAX_VALUE);

    /** Made by the {@link java.util.ServiceLoader}. */
    public RabbitTransportProvider() {}

    @Override
    public boolean knows(URI broker) {
        return "amqp".equals(broker.getScheme()) || "amqps".equals(broker.getScheme());
    }

    @Override
    public Transport create(URI broker, String node, Executor workers, Timeline timeline) {
        CachingConnectionFactory publish = factory(broker, node + ":publish");
        CachingConnectionFactory consume = factory(broker, node + ":consume");
        CachingConnectionFactory deadLetters = factory(broker, node + ":dead-letters");
        return new Owner(
                new RabbitTransport(OPTIONS, new BrokerConnections(publish, consume, deadLetters), workers, timeline),
                List.of(publish, consume, deadLetters));
    }

    private static CachingConnectionFactory factory(URI broker, String name) {
        CachingConnectionFactory factory = new CachingConnectionFactory(broker);
        // the transport reconnects by itself
        factory.getRabbitConnectionFactory().setAutomaticRecoveryEnabled(false);
        factory.getRabbitConnectionFactory().setMaxInboundMessageBodySize(Integer.MAX_VALUE);
        factory.setConnectionNameStrategy(ignored -> name);
        return factory;
    }

    private static final class Owner extends ForwardingTransport {

        private final List<CachingConnectionFactory> factories;

        Owner(Transport transport, List<CachingConnectionFactory> factories) {
            super(transport);
            this.factories = factories;
        }

        @Override
        public void close() {
            super.close();
            factories.forEach(CachingConnectionFactory::destroy);
        }
    }
}
