// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.proof.child.Child;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.Ledger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Three instances, as processes. Every five seconds, one is killed and started anew, or frozen for so long that broker and store take it for dead,
 * whereupon it goes on. While another number of shards is rolled out, every second time one is stopped and started with that number instead. Not
 * thread-safe.
 */
final class Fleet implements AutoCloseable {

    private static final int INSTANCES = 3;
    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration BETWEEN = Duration.ofSeconds(5);
    /** Longer than twice the heartbeat, after which the broker gives its queues to another one, and than a lease. */
    private static final Duration FROZEN = Duration.ofSeconds(8);

    /** An instance, with what it was told. */
    private record Member(Child child, LaneOptions options) {}

    private final Ledger ledger;
    private final Path log;
    private final Random random;
    private final List<Member> members = new ArrayList<>();
    /** Of instances that are rolled out now. */
    private LaneOptions options;

    private @Nullable Member frozen;
    private long frozenAt;
    private long interruptedAt;
    private int started;
    private int kills;
    private int freezes;
    private int ended;
    private int replaced;
    private boolean isReplacedLast;

    Fleet(LaneOptions options, Ledger ledger, Path log, Random random) {
        this.options = options;
        this.ledger = ledger;
        this.log = log;
        this.random = random;
        for (int number = 0; number < INSTANCES; number++) {
            members.add(start(options));
        }
        Awaitility.await().atMost(START).until(() -> running().size() == INSTANCES);
        interruptedAt = System.nanoTime();
    }

    private Member start(LaneOptions told) {
        String process = "instance-" + ++started;
        Child child = Child.start(
                process, LaneMain.class, LaneOptions.VARIABLE, told.as(process).toText(), log);
        return new Member(child, told);
    }

    /** Those that consume, or stand by. */
    private List<Member> running() {
        Set<String> names =
                ledger.entries(Kind.STARTED).stream().map(Entry::process).collect(Collectors.toSet());
        return members.stream()
                .filter(member ->
                        !member.equals(frozen) && names.contains(member.child().name()))
                .toList();
    }

    /** Has the instances replaced, one after the other, by ones with another number of shards. */
    void rollOut(int shards) {
        options = options.divided(shards);
    }

    /** Whether all have the number of shards that was rolled out last. */
    boolean isRolledOut() {
        return members.stream().noneMatch(this::isOld);
    }

    private boolean isOld(Member member) {
        return member.options().shards() != options.shards();
    }

    /**
     * Interrupts one if it is time.
     *
     * @param active the one that handles messages, which is the victim more often than not
     */
    void disturb(String active) {
        if (frozen != null && System.nanoTime() - frozenAt > FROZEN.toNanos()) {
            thaw();
        }
        for (Member member : List.copyOf(members)) {
            if (!member.child().isAlive()) {
                ended++;
                members.set(members.indexOf(member), start(member.options()));
            }
        }
        List<Member> running = running();
        if (running.size() < 2 || System.nanoTime() - interruptedAt < BETWEEN.toNanos()) {
            return;
        }
        Optional<Member> old = running.stream().filter(this::isOld).findFirst();
        isReplacedLast = old.isPresent() && !isReplacedLast;
        if (isReplacedLast) {
            old.ifPresent(this::replace);
        } else {
            interrupt(victim(running, active));
        }
        interruptedAt = System.nanoTime();
    }

    private Member victim(List<Member> running, String active) {
        return running.stream()
                .filter(member -> member.child().name().equals(active))
                .filter(member -> random.nextInt(3) > 0)
                .findFirst()
                .orElseGet(() -> running.get(random.nextInt(running.size())));
    }

    private void interrupt(Member victim) {
        if (frozen == null && freezes <= kills) {
            victim.child().freeze();
            frozen = victim;
            frozenAt = System.nanoTime();
            freezes++;
        } else {
            victim.child().close();
            members.set(members.indexOf(victim), start(victim.options())); // as whoever runs it would
            kills++;
        }
    }

    private void replace(Member old) {
        old.child().stop();
        members.set(members.indexOf(old), start(options));
        replaced++;
    }

    private void thaw() {
        if (frozen != null) {
            frozen.child().thaw();
            frozen = null;
        }
    }

    int kills() {
        return kills;
    }

    int freezes() {
        return freezes;
    }

    /** How many were stopped and started with another number of shards. */
    int replaced() {
        return replaced;
    }

    /** How many have ended by themselves. */
    int ended() {
        return ended;
    }

    /** Has each end what it handles. */
    void stop() {
        thaw();
        members.forEach(member -> member.child().stop());
    }

    @Override
    public void close() {
        members.forEach(member -> member.child().close());
    }
}
