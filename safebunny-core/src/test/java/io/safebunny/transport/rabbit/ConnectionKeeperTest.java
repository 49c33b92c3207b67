// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.ManualTimeline;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.AmqpAuthenticationException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

@Timeout(30)
class ConnectionKeeperTest {

    private static final int CONNECTIONS = 12;

    private final ManualTimeline timeline = new ManualTimeline();
    private final AtomicInteger made = new AtomicInteger();
    private final CountDownLatch lastOne = new CountDownLatch(1);

    /** How long each connection lasts, except the last one, which stays. */
    private Duration lifetime = Duration.ZERO;

    /** Whether the broker refuses the user from the second connection on, until the last one. */
    private boolean refusing;

    private List<Duration> waitsUntilOneStays() throws InterruptedException {
        try (ConnectionKeeper keeper = new ConnectionKeeper(
                "publish", fake(ConnectionFactory.class, this::factory), timeline, connection -> {}, () -> {})) {
            keeper.start("node");
            assertThat(lastOne.await(20, TimeUnit.SECONDS)).isTrue();
            return timeline.sleeps();
        }
    }

    @Test
    void aBrokerThatAcceptsAndDropsIsLeftInPeace() throws InterruptedException {
        assertWaitsGrow(waitsUntilOneStays());
    }

    @Test
    void aPasswordThatIsWrongNowIsTriedAgainAtEase() throws InterruptedException {
        lifetime = Duration.ofHours(1);
        refusing = true;

        assertWaitsGrow(waitsUntilOneStays());
    }

    @Test
    void whatMakesEveryConnectionUselessIsToldOnce() throws InterruptedException {
        try (LogLines lines = new LogLines(ConnectionKeeper.class.getName());
                ConnectionKeeper keeper = new ConnectionKeeper(
                        "publish", fake(ConnectionFactory.class, this::factory), timeline, this::prepare, () -> {})) {
            keeper.start("node");
            assertThat(lastOne.await(20, TimeUnit.SECONDS)).isTrue();

            assertThat(lines.texts().stream().filter(line -> line.contains("cannot be used")))
                    .containsExactly("Connection 'node:publish' cannot be used: SB-1201 differs. mend it");
        }
    }

    private void prepare(Connection connection) {
        if (made.get() > 1 && made.get() < CONNECTIONS) {
            throw new ConfigurationException("SB-1201", "differs.", "mend it");
        }
    }

    private static void assertWaitsGrow(List<Duration> waits) {
        assertThat(waits).hasSize(CONNECTIONS - 1);
        for (int i = 0; i < waits.size(); i++) {
            long longest = Math.min(15_000, 500L << i);
            assertThat(waits.get(i).toMillis()).isBetween(longest / 2 - 1, longest);
        }
    }

    @Test
    void aConnectionThatLastedIsReplacedSoon() throws InterruptedException {
        lifetime = Duration.ofSeconds(1);

        assertThat(waitsUntilOneStays()).hasSize(CONNECTIONS - 1).allSatisfy(wait -> assertThat(wait)
                .isBetween(Duration.ofMillis(249), Duration.ofMillis(500)));
    }

    private Object factory(Object proxy, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "createConnection" -> {
                int number = made.incrementAndGet();
                if (refusing && number > 1 && number < CONNECTIONS) {
                    throw new AmqpAuthenticationException(new AuthenticationFailureException("ACCESS_REFUSED"));
                }
                yield fake(
                        org.springframework.amqp.rabbit.connection.Connection.class,
                        (self, call, none) -> call.getName().equals("getDelegate") ? connection(number) : null);
            }
            case "getPort" -> 5672;
            default -> "fake";
        };
    }

    private Connection connection(int number) {
        boolean last = number == CONNECTIONS;
        return fake(Connection.class, (self, method, arguments) -> switch (method.getName()) {
            case "isOpen" -> last;
            case "getAddress" -> InetAddress.getLoopbackAddress();
            case "getPort" -> 5672;
            case "addShutdownListener" -> {
                if (last) {
                    lastOne.countDown();
                } else {
                    timeline.advance(lifetime);
                    ((ShutdownListener) arguments[0])
                            .shutdownCompleted(new ShutdownSignalException(true, false, null, self));
                }
                yield null;
            }
            default -> null;
        });
    }

    private static <T> T fake(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
