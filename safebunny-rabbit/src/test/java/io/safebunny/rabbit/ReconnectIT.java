// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.proxy.TcpProxy;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** The connection comes back, and with it what the broker forgot in the meantime. */
@Timeout(120)
class ReconnectIT {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String USER = "changing";

    private final TestBroker broker = TestBroker.shared();
    private ProxiedPublisher publisher = new ProxiedPublisher(broker, 8, Duration.ofSeconds(10));

    @AfterEach
    void cleanUp() {
        publisher.deleteAll();
        publisher.close();
    }

    private void disconnect() {
        publisher.proxy.refuse();
        publisher.proxy.cut();
        await().atMost(SOON).until(() -> !publisher.transport.status().usable());
    }

    private void reconnect() {
        publisher.proxy.accept();
        await().atMost(SOON).until(() -> publisher.transport.status().usable());
    }

    /** Its own consuming connection never went away, so only the publishing one can see to it. */
    @Test
    void whatTheBrokerForgotIsThereForTheFirstPublication() {
        publisher.start();
        OutboundMessage message = publisher.message("first", new Route.Poison(publisher.node), Map.of(), new byte[2]);
        assertThat(publisher.send(message)).succeedsWithin(SOON);
        disconnect();
        publisher.onBroker(channel -> {
            channel.exchangeDelete(publisher.names.ownExchange());
            channel.queueDelete(publisher.node + "-poison");
        });
        reconnect();

        assertThat(publisher.send(message)).succeedsWithin(SOON);
        publisher.onBroker(channel ->
                assertThat(channel.messageCount(publisher.node + "-poison")).isEqualTo(1));
    }

    @Test
    void whatTheBrokerForgotIsConsumedAgain() {
        com.rabbitmq.client.ConnectionFactory through = publisher.client();
        Set<String> handled = ConcurrentHashMap.newKeySet();
        String queue = publisher.node + "-Ping";
        try (TcpProxy proxy = TcpProxy.to(broker.host(), broker.port())) {
            through.setHost("127.0.0.1");
            through.setPort(proxy.port());
            CachingConnectionFactory publish = new CachingConnectionFactory(through);
            CachingConnectionFactory consume = new CachingConnectionFactory(through);
            try (RabbitTransport transport = transport(publish, consume)) {
                transport.start(publisher.topology);
                transport.consume(queue, 10, delivery -> {
                    handled.add(String.valueOf(delivery.message().message().messageId()));
                    delivery.acknowledge();
                });
                proxy.refuse();
                proxy.cut();
                await().atMost(SOON).until(() -> !transport.status().usable());
                publisher.onBroker(channel -> {
                    channel.queueDelete(queue);
                    channel.exchangeDelete(publisher.names.mainExchange());
                });
                proxy.accept();
                await().atMost(SOON).until(() -> transport.status().usable());

                assertThat(transport.send(
                                publisher.message("again", new Route.ToSubscribers(queue), Map.of(), new byte[2]),
                                publisher.deadline()))
                        .succeedsWithin(SOON);
                await().atMost(SOON).until(() -> handled.contains("again"));
            }
            publish.destroy();
            consume.destroy();
        }
    }

    @Test
    void theNextAddressIsTakenWhenTheFirstIsDown() {
        CachingConnectionFactory publish = severalAddresses();
        CachingConnectionFactory consume = severalAddresses();
        try (RabbitTransport transport = transport(publish, consume)) {
            transport.start(publisher.topology);

            assertThat(transport.status().usable()).isTrue();
            assertThat(transport.send(publisher.message("second address"), publisher.deadline()))
                    .succeedsWithin(SOON);
        }
        publish.destroy();
        consume.destroy();
    }

    private CachingConnectionFactory severalAddresses() {
        CachingConnectionFactory factory = new CachingConnectionFactory(publisher.client());
        factory.setAddresses("127.0.0.1:1," + broker.host() + ":" + broker.port());
        return factory;
    }

    @Test
    void aChangedPasswordIsToldAndTriedAgainAtEase() {
        assumeTrue(broker.isPrivate(), "Needs a broker whose users are the test's to change");
        Administration administration = new Administration(broker);
        administration.setPassword(USER, broker.password());
        administration.permit(USER, ".*");
        publisher.close();
        publisher = new ProxiedPublisher(
                        broker, broker.port(), client -> client.setUsername(USER), 8, Duration.ofSeconds(10))
                .start();
        administration.setPassword(USER, "another");
        disconnect();
        publisher.proxy.accept();

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(publisher.transport.status().detail())
                        .startsWith(publisher.node + ":publish")
                        .contains("ACCESS_REFUSED"));
        administration.setPassword(USER, broker.password());
        await().atMost(SOON).until(() -> publisher.transport.status().usable());
        assertThat(publisher.send("with the old password")).succeedsWithin(SOON);
        administration.deleteUser(USER);
    }

    private RabbitTransport transport(CachingConnectionFactory publish, CachingConnectionFactory consume) {
        return new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new BrokerConnections(publish, consume, new CachingConnectionFactory(publisher.client())),
                publisher.threads,
                publisher.timeline);
    }
}
