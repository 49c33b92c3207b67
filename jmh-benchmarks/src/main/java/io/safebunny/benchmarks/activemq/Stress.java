// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.activemq;

import io.safebunny.benchmarks.activemq.Bus.Sender;
import io.safebunny.benchmarks.contest.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The stress test of "Design and Evaluation of a Reliable and Scalable Communication Framework", section 5.1: each sender sends
 * as fast as possible, each message to a random receiver, and the messages of all receivers are counted.
 */
final class Stress {

    static final int SENDERS = 8;
    static final int RECEIVERS = 4;

    /** Messages of each sender that are not counted, because they open the connections. */
    private static final int FIRST = 20;

    private static final long PATIENCE_SECONDS = 120;

    private final int messages;
    private volatile CountDownLatch expected = new CountDownLatch(0);

    Stress(int messages) {
        this.messages = messages;
    }

    /** Connects senders and receivers. */
    @FunctionalInterface
    interface Opening {
        Bus open(Runnable received) throws Exception;
    }

    Figures play(Opening opening) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(SENDERS);
        try (Bus bus = opening.open(() -> expected.countDown())) {
            List<Sender> senders = new ArrayList<>();
            for (int sender = 0; sender < SENDERS; sender++) {
                senders.add(bus.sender());
            }
            send(threads, senders, FIRST);
            int each = messages / SENDERS;
            long begin = System.nanoTime();
            send(threads, senders, each);
            return Figures.perSecond((long) each * SENDERS, System.nanoTime() - begin);
        } finally {
            threads.shutdown();
        }
    }

    /** Sends, and waits until all messages are received. */
    private void send(ExecutorService threads, List<Sender> senders, int each) throws Exception {
        expected = new CountDownLatch(each * SENDERS);
        List<Callable<Void>> loops = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            Sender sender = senders.get(i);
            SplittableRandom random = new SplittableRandom(i);
            loops.add(() -> {
                for (int message = 0; message < each; message++) {
                    sender.send(random.nextInt(RECEIVERS));
                }
                return null;
            });
        }
        for (Future<Void> loop : threads.invokeAll(loops)) {
            loop.get();
        }
        if (!expected.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Messages are missing [count=%s]".formatted(expected.getCount()));
        }
    }
}
