// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.rabbit.guard.GuardedSockets;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

class DialerTest {

    private final ConnectionFactory client = new ConnectionFactory();
    private final CachingConnectionFactory factory = new CachingConnectionFactory(client);
    private final VirtualTimeline timeline = VirtualTimeline.skipping();

    @Test
    void diallersOfOneFactoryAllSeeThatItsSocketsAreGuarded() throws IOException {
        List<Socket> configured = new ArrayList<>();
        client.setSocketConfigurator(configured::add);
        Dialer first = new Dialer(factory, timeline);
        Dialer second = new Dialer(factory, timeline);
        try (Socket socket = client.getSocketFactory().createSocket()) {
            client.getSocketConfigurator().configure(socket);

            assertThat(first.isGuarded()).isTrue();
            assertThat(second.isGuarded()).isTrue();
            assertThat(configured).containsExactly(GuardedSockets.behind(socket)); // the application's own sees its own
        } finally {
            factory.destroy();
        }
    }
}
