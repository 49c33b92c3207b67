// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import org.springframework.amqp.AmqpAuthenticationException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

class ConnectionKeeperTest {

    private static final int CONNECTIONS = 12;

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    /** When each try began, and when it failed or its connection was lost. */
    private final List<Duration> made = new ArrayList<>();

    private final List<Duration> ended = new ArrayList<>();

    /** How long each connection lasts, except the last one, which stays. */
    private Duration lifetime = Duration.ZERO;

    /** Whether the broker refuses the user from the second connection on, until the last one. */
    private boolean refusing;

    private ConnectionKeeper keeper(ConnectionKeeper.Preparation preparation) {
        return new ConnectionKeeper(
                "publish", fake(ConnectionFactory.class, this::factory), timeline, Runnable::run, preparation);
    }

    private List<Duration> waitsUntilOneStays() {
        try (ConnectionKeeper keeper = keeper(connection -> {})) {
            keeper.start("node");
            timeline.advance(Duration.ofHours(20));
            assertThat(made).hasSize(CONNECTIONS);
        }
        List<Duration> waits = new ArrayList<>();
        for (int i = 1; i < CONNECTIONS; i++) {
            waits.add(made.get(i).minus(ended.get(i - 1)));
        }
        return waits;
    }

    @Test
    void aBrokerThatAcceptsAndDropsIsLeftInPeace() {
        assertWaitsGrow(waitsUntilOneStays());
    }

    @Test
    void aPasswordThatIsWrongNowIsTriedAgainAtEase() {
        lifetime = Duration.ofHours(1);
        refusing = true;

        assertWaitsGrow(waitsUntilOneStays());
    }

    @Test
    void whatMakesEveryConnectionUselessIsToldOnce() {
        try (CapturedLogs logs = CapturedLogs.start().at(ConnectionKeeper.class.getName(), Level.WARN);
                ConnectionKeeper keeper = keeper(this::prepare)) {
            keeper.start("node");
            timeline.advance(Duration.ofHours(20));

            assertThat(made).hasSize(CONNECTIONS);
            assertThat(logs.all())
                    .extracting(LogLine::message)
                    .filteredOn(line -> line.contains("cannot be used"))
                    .containsExactly("Connection 'node:publish' cannot be used: SB-1201 differs. mend it");
        }
    }

    private void prepare(Connection connection) {
        if (made.size() > 1 && made.size() < CONNECTIONS) {
            throw new ConfigurationException("SB-1201", "differs.", "mend it");
        }
    }

    private static void assertWaitsGrow(List<Duration> waits) {
        assertThat(waits).hasSize(CONNECTIONS - 1);
        for (int i = 0; i < waits.size(); i++) {
            long longest = Math.min(5_000, 500L << i);
            assertThat(waits.get(i).toMillis()).isBetween(longest / 2 - 1, longest);
        }
    }

    @Test
    void aConnectionThatLastedIsReplacedSoon() {
        lifetime = Duration.ofSeconds(1);

        assertThat(waitsUntilOneStays()).hasSize(CONNECTIONS - 1).allSatisfy(wait -> assertThat(wait)
                .isBetween(Duration.ofMillis(249), Duration.ofMillis(500)));
    }

    private Object factory(Object proxy, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "createConnection" -> {
                made.add(timeline.elapsed());
                int number = made.size();
                if (refusing && number > 1 && number < CONNECTIONS) {
                    ended.add(timeline.elapsed());
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
                if (!last) {
                    timeline.advance(lifetime);
                    ended.add(timeline.elapsed());
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
