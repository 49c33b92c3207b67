// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.leaks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The broker says what a test class leaves open. */
@Tag("once")
class LeftChannelsIT {

    private static final Duration TOLD = Duration.ofSeconds(15);
    private static final Deque<Connection> OPEN = new ArrayDeque<>();
    private static TestBroker broker = TestBroker.shared();

    @BeforeAll
    static void makeAVirtualHost() {
        assumeTrue(broker.isPrivate(), "only a broker of our own counts for us");
        broker = broker.createVirtualHost("leaks-" + UUID.randomUUID());
    }

    @AfterAll
    static void closeAll() throws Exception {
        while (!OPEN.isEmpty()) {
            OPEN.pop().close();
        }
    }

    private static LeakCheck leaks() {
        return new LeakCheck()
                .ignoringThreads(".*")
                .counting("connections of the broker", () -> broker.connections())
                .counting("channels of the broker", () -> broker.channels());
    }

    private static void openAChannel() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.uri());
        OPEN.push(factory.newConnection());
        Object unused = OPEN.element().createChannel();
        await().atMost(TOLD).until(() -> broker.channels() == 1 && broker.connections() == 1);
    }

    static class LeavesAChannel {

        @RegisterExtension
        static final LeakCheck LEAKS = leaks().within(Duration.ofMillis(100));

        @Test
        void opens() throws Exception {
            openAChannel();
        }
    }

    static class ClosesItsChannel {

        @RegisterExtension
        static final LeakCheck LEAKS = leaks().within(TOLD);

        @Test
        void opensAndCloses() throws Exception {
            openAChannel();
            closeAll();
        }
    }

    @Test
    void whatIsLeftOpenIsTold() throws Exception {
        assertThat(Failures.of(LeavesAChannel.class))
                .singleElement()
                .asString()
                .contains("connections of the broker: 1, and 0 before", "channels of the broker: 1, and 0 before");

        closeAll();
        await().atMost(TOLD).until(() -> broker.channels() == 0 && broker.connections() == 0);
        assertThat(Failures.of(ClosesItsChannel.class)).isEmpty();
    }
}
