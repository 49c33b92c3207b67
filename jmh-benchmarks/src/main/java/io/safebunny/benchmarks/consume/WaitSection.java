// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.consume.NewerJdk.Request;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handlers that wait, as for a remote call; on virtual threads too where a newer JDK is found. Only in full runs. */
public final class WaitSection implements Section {

    /** System property with the java of a JDK that has virtual threads. */
    private static final String JAVA = "bench.java.virtual";

    private static final String LISTENER = "@RabbitListener, one message per thread";
    private static final String AHEAD = "@RabbitListener, ten messages per thread";
    private static final String SAFEBUNNY = "SafeBunny";
    private static final String VIRTUAL_LISTENER = "@RabbitListener, ten per virtual thread";
    private static final String VIRTUAL = "SafeBunny, virtual threads";

    private static final int PREFETCH = 10;
    private static final int FEW = 10;
    private static final int MANY = 100;
    private static final int SHORT = 1;
    private static final int LONG = 10;
    private static final int PACED = 900;

    private final BenchBroker broker;
    private final URI uri;
    private final Effort effort;
    private final Places places;
    private @Nullable NewerJdk newerJdk;

    public WaitSection(BenchBroker broker, URI uri, Effort effort) {
        this.broker = broker;
        this.uri = uri;
        this.effort = effort;
        this.places = new Places(broker);
    }

    @Override
    public List<Contest> contests() {
        if (effort.share() < 1) {
            return List.of();
        }
        return List.of(
                contest(
                        new Waits(SHORT, 10_000, PACED),
                        FEW,
                        new Ratio("wait1VsListener", SAFEBUNNY, AHEAD, 0),
                        new Ratio("wait1VirtualVsListener", VIRTUAL, VIRTUAL_LISTENER, 0)),
                contest(
                        new Waits(LONG, 2_000, PACED),
                        FEW,
                        new Ratio("wait10VsListener", SAFEBUNNY, AHEAD, 0),
                        new Ratio("wait10VirtualVsListener", VIRTUAL, VIRTUAL_LISTENER, 0)),
                contest(
                        new Waits(LONG, 10_000, PACED),
                        MANY,
                        new Ratio("wait10At100VsListener", SAFEBUNNY, AHEAD, 0),
                        new Ratio("wait10At100VirtualVsListener", VIRTUAL, VIRTUAL_LISTENER, 0)));
    }

    private Contest contest(Waits waits, int atOnce, Ratio ratio, Ratio virtualRatio) {
        List<Contender> contenders = new ArrayList<>(List.of(
                contender(LISTENER, waits, places.listeners(atOnce, 1)),
                contender(AHEAD, waits, places.listeners(atOnce, PREFETCH)),
                contender(SAFEBUNNY, waits, places.safeBunny(atOnce))));
        List<Ratio> ratios = new ArrayList<>(List.of(ratio));
        String java = System.getProperty(JAVA);
        if (java != null) {
            contenders.add(virtual(VIRTUAL_LISTENER, java, new Request(false, atOnce, PREFETCH, waits)));
            contenders.add(virtual(VIRTUAL, java, new Request(true, atOnce, PREFETCH, waits)));
            ratios.add(virtualRatio);
        }
        return new Contest(
                "Wait, %s ms, %s at once".formatted(waits.waitMillis(), atOnce),
                "%s prepared messages of 965 bytes of JSON in one quorum queue, %s handled at once, each of which waits %s ms; then latency from when each was due at %s messages per second; %s"
                        .formatted(
                                waits.messages(),
                                atOnce,
                                waits.waitMillis(),
                                Waits.PER_SECOND,
                                java == null
                                        ? "without virtual threads, because no JDK 21 or newer was found"
                                        : "virtual threads in a process of another JDK"),
                contenders,
                ratios);
    }

    private Contender contender(String name, Waits waits, Places.Opening opening) {
        return new Contender(name, () -> waits.measure(broker, places.queue(), opening));
    }

    private Contender virtual(String name, String java, Request request) {
        return new Contender(name, () -> {
            if (newerJdk == null || !newerJdk.isAlive()) {
                newerJdk = new NewerJdk(java, uri);
            }
            return newerJdk.measure(request);
        });
    }

    @Override
    public void close() {
        if (newerJdk != null) {
            newerJdk.close();
        }
    }
}
