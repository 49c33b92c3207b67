// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.rabbit.BrokerConnections;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.RabbitTransportOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

class ReaderExecutorTest {

    /** Notes what is to call the consumers. */
    private static final class Client extends ConnectionFactory {

        final List<@Nullable ExecutorService> callers = new ArrayList<>();

        @Override
        public Connection newConnection(
                @Nullable ExecutorService executor, AddressResolver resolver, String clientProvidedName)
                throws IOException {
            callers.add(executor);
            throw new IOException("no broker");
        }
    }

    private static void connect(CachingConnectionFactory factory) {
        assertThatThrownBy(factory::createConnection).hasRootCauseMessage("no broker");
        factory.destroy();
        assertThatThrownBy(factory::createConnection).hasRootCauseMessage("no broker");
    }

    /** Also after the factory was closed, because the executor is not. */
    @Test
    void deliveriesAreTakenOnTheThreadThatReadsThem() {
        Client publish = new Client();
        Client consume = new Client();
        Client deadLetters = new Client();
        BrokerConnections connections = new BrokerConnections(
                new CachingConnectionFactory(publish),
                new CachingConnectionFactory(consume),
                new CachingConnectionFactory(deadLetters));
        VirtualTimeline timeline = VirtualTimeline.skipping();
        RabbitTransport unused =
                new RabbitTransport(RabbitTransportOptions.defaults(), connections, task -> {}, timeline);

        connect((CachingConnectionFactory) connections.publish());
        connect((CachingConnectionFactory) connections.consume());
        connect((CachingConnectionFactory) connections.deadLetters());

        assertThat(publish.callers).containsExactly(null, null);
        assertThat(consume.callers).hasSize(2).allSatisfy(ReaderExecutorTest::runsOnTheCallersThread);
        assertThat(deadLetters.callers).hasSize(2).allSatisfy(ReaderExecutorTest::runsOnTheCallersThread);
    }

    private static void runsOnTheCallersThread(@Nullable ExecutorService executor) {
        List<Thread> threads = new ArrayList<>();
        Objects.requireNonNull(executor).execute(() -> threads.add(Thread.currentThread()));
        assertThat(threads).containsExactly(Thread.currentThread());
    }
}
