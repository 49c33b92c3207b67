// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.rabbit.instance.Instance;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.proxy.TcpProxy;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Carries out faults; each returns when what it broke is whole again. Faults of different victims may overlap. */
final class Faults {

    private static final Duration BREAKER_CLOSES = Duration.ofSeconds(60);
    private static final List<String> CONNECTIONS = List.of(
            Nodes.PUBLISHER + ":publish",
            Nodes.DEDUPLICATING + ":publish",
            Nodes.DEDUPLICATING + ":consume",
            Nodes.FORGETFUL + ":publish",
            Nodes.FORGETFUL + ":consume");

    private final Brokers brokers;
    private final Consumers consumers;
    private final BunnyCircuitBreaker breaker;
    private final Timeline timeline;

    Faults(Brokers brokers, Consumers consumers, BunnyCircuitBreaker breaker, Timeline timeline) {
        this.brokers = brokers;
        this.consumers = consumers;
        this.breaker = breaker;
        this.timeline = timeline;
    }

    /** Whether the fault is possible here. */
    boolean has(Fault fault) {
        return fault != Fault.FREEZE_BROKER || brokers.isCluster();
    }

    /** @param random of this fault alone */
    void strike(Fault fault, Random random) throws InterruptedException {
        switch (fault) {
            case CUT -> brokers.proxies().forEach(TcpProxy::cut);
            case STALL -> stall(millis(random, 1_000, 4_000));
            case REFUSE -> refuse(millis(random, 1_000, 2_000));
            case CUT_AT_CONFIRM -> inUse(random).cutAtNextConfirm();
            case CUT_AT_ACKNOWLEDGEMENT -> inUse(random).cutAtNextAcknowledgement();
            case MEMORY_ALARM -> alarm(any(brokers.nodes(), random), millis(random, 1_000, 3_000));
            case KILL_BROKER -> killBroker(any(brokers.nodes(), random), millis(random, 0, 4_000));
            case FREEZE_BROKER -> freezeBroker(any(brokers.nodes(), random), millis(random, 2_000, 4_000));
            case CLOSE_CONNECTION -> brokers.closeConnection(any(brokers.nodes(), random), any(CONNECTIONS, random));
            case KILL_CONSUMER -> endConsumer(random, Instance::kill);
            case TERMINATE_CONSUMER -> endConsumer(random, Instance::terminate);
            case OPEN_BREAKER -> openBreaker(random, millis(random, 1_000, 4_000));
        }
    }

    private static Duration millis(Random random, int least, int most) {
        return Duration.ofMillis(random.nextInt(least, most + 1));
    }

    private static <T> T any(List<T> choices, Random random) {
        return choices.get(random.nextInt(choices.size()));
    }

    private TcpProxy inUse(Random random) {
        List<TcpProxy> used = brokers.proxies().stream()
                .filter(proxy -> proxy.connections() > 0)
                .toList();
        return any(used.isEmpty() ? brokers.proxies() : used, random);
    }

    private void stall(Duration duration) throws InterruptedException {
        brokers.proxies().forEach(TcpProxy::stall);
        try {
            timeline.sleep(duration);
        } finally {
            brokers.healNetwork();
        }
    }

    /** Cut first: connections that are open would not notice. */
    private void refuse(Duration duration) throws InterruptedException {
        brokers.proxies().forEach(TcpProxy::refuse);
        try {
            brokers.proxies().forEach(TcpProxy::cut);
            timeline.sleep(duration);
        } finally {
            brokers.healNetwork();
        }
    }

    private void alarm(RabbitNode node, Duration duration) throws InterruptedException {
        node.memoryAlarm(true);
        try {
            timeline.sleep(duration);
        } finally {
            node.memoryAlarm(false);
        }
    }

    private void killBroker(RabbitNode node, Duration down) throws InterruptedException {
        node.kill();
        try {
            timeline.sleep(down);
        } finally {
            node.restart();
        }
        brokers.awaitMembers();
    }

    private void freezeBroker(RabbitNode node, Duration duration) throws InterruptedException {
        node.pause();
        try {
            timeline.sleep(duration);
        } finally {
            node.resume();
        }
        brokers.awaitMembers();
    }

    private void endConsumer(Random random, Consumer<Instance> end) {
        int victim = random.nextInt(consumers.count());
        try {
            consumers.end(victim, end);
        } finally {
            consumers.replace(victim);
        }
    }

    private void openBreaker(Random random, Duration duration) throws InterruptedException {
        Class<?> type = random.nextInt(4) == 0 ? Receipt.class : Order.class;
        breaker.open(type, duration);
        long end = timeline.nanoTime() + BREAKER_CLOSES.toNanos();
        while (breaker.state(type) != State.CLOSED) {
            if (timeline.nanoTime() - end > 0) {
                throw new IllegalStateException("The breaker of %s was opened for %d ms and is still %s after %d s"
                        .formatted(
                                type.getSimpleName(),
                                duration.toMillis(),
                                breaker.state(type),
                                BREAKER_CLOSES.toSeconds()));
            }
            timeline.sleep(Duration.ofMillis(50));
        }
    }
}
