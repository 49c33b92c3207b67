// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Has a fleet divide messages among one number of shards after the other, each as soon as the one before is in force, while messages are
 * published: some at once whenever a rollout begins, so that shards have some to handle, and the others bit by bit. A round is kept back for each
 * rollout, however long it takes: without a message to forward, no number changes. One thread advances, another one publishes.
 */
final class Rollouts {

    private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(2);
    /** Share of all rounds that is published at once. */
    private static final int BURST = 6;

    private final List<Integer> numbers;
    private final Divisions divisions;
    private final int rounds;
    private final Semaphore atOnce = new Semaphore(0);
    private final Semaphore keptBack = new Semaphore(0);
    private int begun;
    /** The latest rollout for which the round was published that was kept back. */
    private int nudged;

    private boolean isDone;

    /**
     * @param numbers the first of which the fleet has; empty if messages are not divided
     * @param rounds in which messages are published: the last ones once all instances have a number
     */
    Rollouts(List<Integer> numbers, Divisions divisions, int rounds) {
        this.numbers = numbers;
        this.divisions = divisions;
        this.rounds = rounds;
        atOnce.release(rounds / BURST);
        if (numbers.isEmpty()) {
            release();
        }
    }

    /** Called again and again while the fleet is disturbed. */
    void advance(Fleet fleet) {
        if (isDone || !fleet.isRolledOut()) {
            return;
        }
        if (begun == numbers.size() - 1) {
            release();
        } else if (divisions.areAll(numbers.get(begun))) {
            begun++;
            fleet.rollOut(numbers.get(begun));
            atOnce.release(rounds / BURST);
        } else if (nudged < begun) {
            nudged = begun;
            keptBack.release();
        }
    }

    /** Has all messages published, whatever has become of the fleet. */
    void release() {
        isDone = true;
        atOnce.release(rounds);
        keptBack.release(rounds);
    }

    /** The messages are divided among the last number of shards, and no change is under way. */
    boolean areDone() {
        return isDone && (numbers.isEmpty() || divisions.areAll(numbers.get(numbers.size() - 1)));
    }

    /** Waits until the messages of this round may be published. */
    void await(int round) throws InterruptedException {
        if (round >= rounds - Math.max(1, numbers.size() - 1)) {
            keptBack.acquire();
        } else {
            boolean unused = atOnce.tryAcquire(BETWEEN_ROUNDS.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    int begun() {
        return begun;
    }
}
