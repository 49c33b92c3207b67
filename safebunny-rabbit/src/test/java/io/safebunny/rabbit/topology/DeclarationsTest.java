// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Answers that a broker of one node does not give. The others are in PermissionsIT. */
class DeclarationsTest {

    private static final AMQP.Channel.Close DOWN = new AMQP.Channel.Close.Builder()
            .replyCode(AMQP.NOT_FOUND)
            .replyText(
                    "NOT_FOUND - home node 'rabbit@two' of durable queue 'billing-Job' in vhost '/' is down or inaccessible")
            .build();

    private static final AMQP.Channel.Close FORBIDDEN = new AMQP.Channel.Close.Builder()
            .replyCode(AMQP.ACCESS_REFUSED)
            .replyText(
                    "ACCESS_REFUSED - configure access to queue 'billing-Job' in vhost '/' refused for user 'billing'")
            .build();

    @Test
    void aQueueThatIsAwayWithItsNodeIsNoMissingPermission() {
        assertThatThrownBy(() -> declaredWhenAnswered(DOWN, DOWN))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rabbit@two");
    }

    @Test
    void whoMayNotDeclareWhatIsMissingIsTold() {
        assertThatThrownBy(() -> declaredWhenAnswered(FORBIDDEN, DOWN))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1204");
    }

    private static void declaredWhenAnswered(AMQP.Channel.Close active, AMQP.Channel.Close passive) throws IOException {
        Channel channel = fake(Channel.class, (self, call, arguments) -> switch (call.getName()) {
            case "queueDeclare" -> throw closedWith(active);
            case "queueDeclarePassive" -> throw closedWith(passive);
            default -> false; // not open any more
        });
        Connection connection = fake(Connection.class, (self, call, arguments) -> channel);
        try (Declarations broker =
                Declarations.on(connection, TopologyPlanner.plan("billing", List.of(), TopologyOptions.defaults()))) {
            broker.queue("billing-Job", Map.of());
        }
    }

    private static IOException closedWith(AMQP.Channel.Close reason) {
        return new IOException(new ShutdownSignalException(false, false, reason, null));
    }

    private static <T> T fake(Class<T> type, InvocationHandler behaviour) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, behaviour));
    }
}
