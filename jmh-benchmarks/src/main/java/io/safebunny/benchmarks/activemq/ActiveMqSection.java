// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.activemq;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.memory.MemoryMessageStore;
import java.time.Duration;
import java.util.List;

/** Several senders and receivers at once, compared with another broker. */
public final class ActiveMqSection implements Section {

    private static final String RAW = "raw client, a wait for each message";
    private static final String ACTIVEMQ = "ActiveMQ";
    private static final String SAFEBUNNY = "SafeBunny";
    private static final String MEMORY = "SafeBunny, memory";

    private static final Duration RETENTION = Duration.ofDays(7);
    private static final int PREFETCH = 10;

    private final BenchBroker broker;
    private final Effort effort;

    public ActiveMqSection(BenchBroker broker, Effort effort) {
        this.broker = broker;
        this.effort = effort;
    }

    @Override
    public List<Contest> contests() {
        Stress stress = new Stress(effort.messages(20_000));
        return List.of(new Contest(
                "Stress: %s senders, %s receivers at random".formatted(Stress.SENDERS, Stress.RECEIVERS),
                "965 bytes of JSON, persistent, a queue for each receiver, senders wait until each message is safe: confirmed by a quorum queue, or synchronised to the disk by ActiveMQ Classic (KahaDB), which runs in the process of its clients; receivers on RabbitMQ have prefetch "
                        + PREFETCH,
                List.of(
                        new Contender(RAW, () -> stress.play(received -> new RawBus(broker, PREFETCH, received))),
                        new Contender(ACTIVEMQ, () -> stress.play(ActiveMqBus::new)),
                        new Contender(
                                SAFEBUNNY,
                                () -> stress.play(received -> new SafeBunnyBus(broker, PREFETCH, null, received))),
                        new Contender(
                                MEMORY,
                                () -> stress.play(received -> new SafeBunnyBus(
                                        broker,
                                        PREFETCH,
                                        timeline -> new MemoryMessageStore(timeline, RETENTION),
                                        received)))),
                List.of(
                        new Ratio("stressVsActiveMq", SAFEBUNNY, ACTIVEMQ, 0),
                        new Ratio("stressVsRaw", SAFEBUNNY, RAW, 0),
                        new Ratio("stressMemoryVsNone", MEMORY, SAFEBUNNY, 0))));
    }

    @Override
    public void close() {}
}
