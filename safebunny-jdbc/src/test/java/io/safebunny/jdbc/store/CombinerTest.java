// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CombinerTest {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<List<Integer>> batches = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void stop() {
        gate.countDown();
        threads.shutdownNow();
    }

    private List<String> answer(List<Integer> arguments) {
        batches.add(arguments);
        if (arguments.contains(0)) {
            await(gate);
        }
        if (arguments.contains(-1)) {
            throw new IllegalStateException("no answer");
        }
        return arguments.stream().map(argument -> "r" + argument).toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void answersALoneCallAtOnce() {
        assertThat(new Combiner<>(10, this::answer).run(7)).isEqualTo("r7");
        assertThat(batches).containsExactly(List.of(7));
    }

    @Test
    void putsWhatWaitsForABatchIntoTheNextOnes() throws Exception {
        Combiner<Integer, String> combiner = new Combiner<>(10, this::answer);
        Future<String> first = threads.submit(() -> combiner.run(0));
        Awaitility.await().until(() -> batches.size() == 1);
        List<Future<String>> others = IntStream.rangeClosed(1, 25)
                .mapToObj(number -> threads.submit(() -> combiner.run(number)))
                .toList();
        Awaitility.await().until(() -> combiner.waiting() == 25);
        gate.countDown();

        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("r0");
        for (int i = 0; i < others.size(); i++) {
            assertThat(others.get(i).get(30, TimeUnit.SECONDS)).isEqualTo("r" + (i + 1));
        }
        assertThat(batches).extracting(List::size).containsExactly(1, 10, 10, 5);
    }

    @Test
    void tellsAFailureToEachCallerOfItsBatchOnly() throws Exception {
        Combiner<Integer, String> combiner = new Combiner<>(10, this::answer);
        Future<String> first = threads.submit(() -> combiner.run(0));
        Awaitility.await().until(() -> batches.size() == 1);
        Future<String> bad = threads.submit(() -> combiner.run(-1));
        Future<String> neighbour = threads.submit(() -> combiner.run(2));
        Awaitility.await().until(() -> combiner.waiting() == 2);
        gate.countDown();

        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("r0");
        assertThatThrownBy(() -> bad.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("no answer");
        assertThatThrownBy(() -> neighbour.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("no answer");
        assertThat(combiner.run(3)).isEqualTo("r3");
    }

    @Test
    void givesEachOfManyItsOwnResult() throws Exception {
        gate.countDown();
        Combiner<Integer, String> combiner = new Combiner<>(10, this::answer);
        List<Callable<Boolean>> callers = IntStream.range(0, 16)
                .<Callable<Boolean>>mapToObj(caller -> () -> IntStream.range(1, 2_000)
                        .map(number -> caller * 10_000 + number)
                        .allMatch(number -> combiner.run(number).equals("r" + number)))
                .toList();
        for (Future<Boolean> caller : threads.invokeAll(callers, 60, TimeUnit.SECONDS)) {
            assertThat(caller.get()).isTrue();
        }
    }

    @Test
    void keepsAnInterruptOfAWaitingCaller() throws Exception {
        Combiner<Integer, String> combiner = new Combiner<>(10, this::answer);
        Future<String> first = threads.submit(() -> combiner.run(0));
        Awaitility.await().until(() -> batches.size() == 1);
        Future<Boolean> interrupted = threads.submit(() -> {
            Thread.currentThread().interrupt();
            String result = combiner.run(1);
            return Thread.interrupted() && result.equals("r1");
        });
        Awaitility.await().until(() -> combiner.waiting() == 1);
        gate.countDown();

        assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("r0");
    }
}
