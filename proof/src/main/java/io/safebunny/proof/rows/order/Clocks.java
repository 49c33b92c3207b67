// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.proof.child.Child;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;

/** Three instances, as processes, whose clocks are ahead, right and behind. Not thread-safe. */
final class Clocks implements AutoCloseable {

    private static final List<Duration> AHEAD = List.of(Duration.ofSeconds(2), Duration.ZERO, Duration.ofSeconds(-2));
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(3);
    private static final Duration START = Duration.ofMinutes(2);

    private final Live live;
    private final StoreAddress store;
    private final Ledger ledger;
    private final Random random;
    private final List<Child> children = new ArrayList<>();
    private final Path log;
    private long killedAt;
    private int started;
    private int kills;

    Clocks(Live live, StoreAddress store, Ledger ledger, Random random) throws IOException {
        this.live = live;
        this.store = store;
        this.ledger = ledger;
        this.random = random;
        log = Files.createTempFile("safebunny-deadlines-", ".log");
        AHEAD.forEach(ahead -> children.add(start(ahead)));
    }

    private Child start(Duration ahead) {
        String process = "instance-" + ++started;
        NodeAddress address = new NodeAddress(
                live.name("quotes"), live.prefix(), TestBroker.shared().uri().toString());
        ClockOptions options = new ClockOptions(
                process, address, live.name("desk"), store, ledger.port(), ahead.toMillis(), random.nextLong());
        return Child.start(process, ClockMain.class, ClockOptions.VARIABLE, options.toText(), log);
    }

    void awaitStart() {
        Awaitility.await().atMost(START).until(() -> running() == AHEAD.size());
        killedAt = System.nanoTime();
    }

    private int running() {
        return ledger.entries(Kind.STARTED).size() - kills;
    }

    /** One of them, if all run, and three seconds have passed since the last time. */
    void maybeKill() {
        if (running() < AHEAD.size() || System.nanoTime() - killedAt < BETWEEN_KILLS.toNanos()) {
            return;
        }
        int victim = random.nextInt(AHEAD.size());
        children.get(victim).close();
        kills++;
        children.set(victim, start(AHEAD.get(victim)));
        killedAt = System.nanoTime();
    }

    int kills() {
        return kills;
    }

    @Override
    public void close() throws IOException {
        children.forEach(Child::close);
        Files.delete(log);
    }
}
