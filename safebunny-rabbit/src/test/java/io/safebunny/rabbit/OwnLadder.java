// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Exchanges and delay queues of one test, on the broker of all: their loss concerns nobody else. */
record OwnLadder(TestBroker broker, String prefix) {

    private static final int RUNGS = 36;

    InstanceOptions node(String name, boolean remembers) {
        return new InstanceOptions(name, broker, 20, 20, Duration.ZERO, remembers);
    }

    TopologyOptions topology() {
        return TopologyOptions.defaults().withPrefix(prefix);
    }

    /** Only publishes. */
    NodeUnderTest publisher(String name) {
        return NodeUnderTest.startWith(node(name, false), topology(), bunny -> List.of());
    }

    /**
     * Takes the messages out of all delay queues, or deletes these. RabbitMQ 3.10 may close a connection (541) that purges a queue which
     * is just being declared: the next one goes on.
     *
     * @return how many messages there were
     */
    int empty(boolean delete) {
        int lost = 0;
        int rung = 0;
        while (rung < RUNGS) {
            try (Connection connection = new Onlooker(broker).client().newConnection("empties the ladder")) {
                while (rung < RUNGS && connection.isOpen()) {
                    lost += empty(connection, "%s.delayed.%02d".formatted(prefix, rung++), delete);
                }
            } catch (AlreadyClosedException e) { // by the broker
            } catch (IOException | TimeoutException e) {
                throw new IllegalStateException("The test broker does not answer", e);
            }
        }
        return lost;
    }

    private static int empty(Connection connection, String queue, boolean delete) throws IOException, TimeoutException {
        try (Channel channel = connection.createChannel()) {
            return delete
                    ? channel.queueDelete(queue).getMessageCount()
                    : channel.queuePurge(queue).getMessageCount();
        } catch (IOException e) {
            if (e.getCause() instanceof ShutdownSignalException) { // nobody has needed this one so far
                return 0;
            }
            throw e;
        }
    }

    /** Removes what the test has left on the broker. */
    void remove(String node, String... types) {
        int unused = empty(true);
        new Onlooker(broker).onBroker(channel -> {
            for (String type : types) {
                channel.queueDelete(node + '-' + type);
            }
        });
    }
}
