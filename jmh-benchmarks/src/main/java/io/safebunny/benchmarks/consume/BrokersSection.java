// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.publish.Pipelined;
import io.safebunny.test.broker.RabbitCluster;
import io.safebunny.test.broker.RabbitNode;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One broker and a cluster of three, both of RabbitMQ 4.3, beside the broker of the whole run. Only in full runs, and where that can be installed. */
public final class BrokersSection implements Section {

    /** System property with the root folder of a server of RabbitMQ 4.3. */
    private static final String ROOT = "bench.broker.4.3";

    private static final String THIS = "SafeBunny, the broker of the whole run";
    private static final String ONE = "SafeBunny, one broker of 4.3";
    private static final String THREE = "SafeBunny, three brokers of 4.3";

    private static final int BROKERS = 3;
    private static final int PREFETCH = 10;
    private static final int MESSAGES = 10_000;

    private final BenchBroker broker;
    private final Effort effort;
    private final Path root;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable BenchBroker one;
    private @Nullable BenchBroker three;

    public BrokersSection(BenchBroker broker, Effort effort) {
        this.broker = broker;
        this.effort = effort;
        this.root = Path.of(System.getProperty(ROOT, ""));
    }

    @Override
    public List<Contest> contests() {
        if (effort.share() < 1 || System.getProperty(ROOT) == null) {
            return List.of();
        }
        String conditions =
                "%s messages of 965 bytes of JSON, one quorum queue, whose leader is on the broker that the clients talk to; the others run RabbitMQ 4.3; all brokers and clients on the same processors"
                        .formatted(MESSAGES);
        return List.of(
                new Contest(
                        "Brokers, publishing",
                        conditions + "; one caller that does not wait, at most 1,000 without a confirm",
                        contenders(BrokersSection::publish),
                        List.of(
                                new Ratio("publishThreeBrokersVsOne", THREE, ONE, 0),
                                new Ratio("publishNewestVsThis", ONE, THIS, 0))),
                new Contest(
                        "Brokers, handling",
                        conditions + "; prefetch %s, handlers that do nothing".formatted(PREFETCH),
                        contenders(on -> new Consumers(on, MESSAGES).safeBunny(1, PREFETCH, null)),
                        List.of(
                                new Ratio("handleThreeBrokersVsOne", THREE, ONE, 0),
                                new Ratio("handleNewestVsThis", ONE, THIS, 0))));
    }

    @FunctionalInterface
    private interface Run {
        Figures on(BenchBroker broker) throws Exception;
    }

    private List<Contender> contenders(Run run) {
        return List.of(
                new Contender(THIS, () -> run.on(broker)),
                new Contender(ONE, () -> run.on(one())),
                new Contender(THREE, () -> run.on(three())));
    }

    private BenchBroker one() throws Exception {
        if (one == null) {
            RabbitNode node = RabbitNode.start(root);
            opened.push(node);
            one = connected(node);
        }
        return one;
    }

    private BenchBroker three() throws Exception {
        if (three == null) {
            RabbitCluster cluster = RabbitCluster.start(root, BROKERS);
            opened.push(cluster);
            three = connected(cluster.nodes().get(0));
            cluster.awaitMembers("/", three.declare(Consumers.NODE), BROKERS);
        }
        return three;
    }

    private BenchBroker connected(RabbitNode node) throws Exception {
        BenchBroker connected = new BenchBroker(node.broker().uri());
        opened.push(connected);
        return connected;
    }

    private static Figures publish(BenchBroker broker) throws Exception {
        broker.purge(broker.declare(Consumers.NODE));
        Ping ping = Ping.ofSize("order-42", BenchBroker.MESSAGE_BYTES);
        try (BenchNode node = BenchNode.withoutStore(broker, BenchBroker.SOURCE)) {
            node.start(List.of());
            return Pipelined.run(MESSAGES, () -> node.bunny().publishAsync(ping));
        }
    }

    /** The last opened first. */
    @Override
    public void close() {
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException("Could not close the section", e);
            }
        }
    }
}
