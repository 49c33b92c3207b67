// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.rabbit.hostile.RawClient.Answer;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Delayed messages of all nodes share the rungs of the ladder: what one of them writes there must not hold the others' back. */
@Timeout(120)
class HostileLadderIT {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final int PER_WAY = 100;

    private final Effects effects = new Effects();
    private VirtualHost host;
    private Party victim;

    @BeforeEach
    void start() {
        TestBroker broker = TestBroker.shared();
        assumeTrue(broker.isPrivate(), "Needs a broker whose users are the test's to create");
        String name = "hostile." + UUID.randomUUID().toString().substring(0, 8);
        host = new VirtualHost(broker.createVirtualHost(name), name);
        victim = new Party(host, "victim", bunny -> effects.handlers("victim", "victim", "attacker", bunny));
        await().atMost(PATIENCE).until(victim::isUsable);
        host.createUser(name, "secret", "^attacker-.*", "^(amq\\.default|safebunny.*|attacker-.*)$", "^attacker-.*");
    }

    @AfterEach
    void stop() {
        victim.close();
        host.delete(host.name());
    }

    /** An order that fails once comes back over the ladder. */
    private void requireRetries(int number) throws Exception {
        Flood.publish(victim.bunny(), number).get(30, TimeUnit.SECONDS);
        await().atMost(PATIENCE).until(() -> effects.good().containsKey("po" + number));
    }

    private RawClient connect() throws IOException {
        TestBroker broker = host.broker();
        return RawClient.connect(broker.host(), broker.port(), host.name(), host.name(), "secret");
    }

    /** A broker keeps what it cannot move on, and stops when that is a few dozen. */
    @Test
    void whatHasNoWayOutOfARungDoesNotBlockIt() throws Exception {
        requireRetries(0);
        try (RawClient client = connect()) {
            for (int i = 0; i < PER_WAY; i++) {
                HostileMessage message = HostileMessage.of("attacker", i);
                HostileMessage delayed =
                        message.to("safebunny.delayed", "victim-Order").withHeader("sb-delay", Octets.text("06"));
                client.pour(delayed, PER_WAY);
                client.pour(delayed.withHeader("sb-delay-06", Octets.text("nowhere")), PER_WAY);
                client.pour(message.to("", "safebunny.delayed.06"), PER_WAY);
            }
            client.awaitConfirms(0);
        }
        requireRetries(30);
        await().atMost(PATIENCE).until(() -> unrouted() == 3 * PER_WAY);
    }

    private long unrouted() {
        return host.onBroker(channel -> channel.messageCount("safebunny.unrouted"));
    }

    @Test
    void headersThatOnlyABrokerWritesDoNotBlockARung() throws Exception {
        assumeFalse(host.broker().version().startsWith("3."), "RabbitMQ 3.10 dies of an x-death that is not its own");
        requireRetries(0);
        RawClient client = connect();
        int taken = 0;
        try {
            for (Kind kind : Kinds.all(client.largestProperties())) {
                if (kind.name().matches("(header (x-|CC|BCC)|x-death).*|large: an array.*")) {
                    HostileMessage message = kind.of(HostileMessage.of("attacker", taken))
                            .to("safebunny.delayed", "victim-Nobody")
                            .withHeader("sb-delay", Octets.text("06"))
                            .withHeader("sb-delay-06", Octets.text("retry"));
                    taken += client.ask(message) == Answer.TAKEN ? 1 : 0;
                }
                if (!client.isOpen()) {
                    client.close();
                    client = connect();
                }
            }
        } finally {
            client.close();
        }
        requireRetries(30);
        int all = taken;
        await().atMost(PATIENCE).until(() -> unrouted() == all);
    }
}
