// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The faults as a client of a real broker sees them. */
class TcpProxyIT {

    private final TestBroker broker = TestBroker.shared();
    private final TcpProxy proxy = TcpProxy.to(broker.host(), broker.port());
    private final String queue = "proxy-" + UUID.randomUUID();
    private Connection direct;
    private Connection proxied;

    @BeforeEach
    void declare() throws Exception {
        direct = connect(broker.host(), broker.port());
        proxied = connect("127.0.0.1", proxy.port());
        direct.createChannel().queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
    }

    @AfterEach
    void end() throws Exception {
        proxied.abort();
        direct.createChannel().queueDelete(queue);
        direct.close();
        proxy.close();
    }

    @Test
    void aLostConfirmLeavesTheMessageInTheQueue() throws Exception {
        Channel channel = proxied.createChannel();
        channel.confirmSelect();
        publish(channel, "confirmed");
        channel.waitForConfirmsOrDie(10_000);
        proxy.cutAtNextConfirm();
        publish(channel, "in doubt");

        assertThatThrownBy(() -> channel.waitForConfirmsOrDie(10_000)).isInstanceOf(ShutdownSignalException.class);
        assertThat(count()).isEqualTo(2);
    }

    @Test
    void aLostAcknowledgementBringsTheMessageBack() throws Exception {
        publish(direct.createChannel(), "twice");
        Channel channel = proxied.createChannel();
        proxy.cutAtNextAcknowledgement();
        GetResponse first = await().until(() -> channel.basicGet(queue, false), response -> response != null);
        channel.basicAck(first.getEnvelope().getDeliveryTag(), false);

        await().until(() -> !proxied.isOpen());
        Channel other = direct.createChannel();
        GetResponse second = await().until(() -> other.basicGet(queue, true), response -> response != null);
        assertThat(second.getEnvelope().isRedeliver()).isTrue();
    }

    @Test
    void publicationsBeyondTheCountedOnesNeverArrive() throws Exception {
        Channel channel = proxied.createChannel();
        proxy.cutAfterPublishes(2);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100_000; i++) {
                        publish(channel, "number " + i);
                    }
                })
                .isInstanceOfAny(AlreadyClosedException.class, IOException.class);

        await().during(Duration.ofMillis(300)).until(() -> count() <= 2);
    }

    @Test
    void aStalledConnectionGoesOnWhereItStopped() throws Exception {
        Channel channel = proxied.createChannel();
        channel.confirmSelect();
        proxy.stall();
        publish(channel, "held back");
        await().during(Duration.ofMillis(300)).until(() -> count() == 0);
        assertThat(proxied.isOpen()).isTrue();
        proxy.resume();
        channel.waitForConfirmsOrDie(10_000);
        assertThat(count()).isOne();
    }

    private long count() throws IOException {
        try (Channel channel = direct.createChannel()) {
            return channel.messageCount(queue);
        } catch (TimeoutException e) {
            throw new IOException(e);
        }
    }

    private void publish(Channel channel, String text) throws IOException {
        channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, text.getBytes(StandardCharsets.UTF_8));
    }

    private Connection connect(String host, int port) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.uri());
        factory.setHost(host);
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }
}
