// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets concurrent calls share a round trip and a commit. Calls that arrive while a batch is running wait and form the next batch,
 * which runs on the thread of one of them. A lone call does not wait. Thread-safe.
 */
final class Combiner<A, R> {

    private final int most;
    private final Function<List<A>, List<R>> batch;
    private final Queue<Call<A, R>> waiting = new ArrayDeque<>();
    private boolean busy;

    /**
     * @param most calls in one batch
     * @param batch returns the results in the order of the arguments; an exception is rethrown to every caller of the batch
     */
    Combiner(int most, Function<List<A>, List<R>> batch) {
        this.most = most;
        this.batch = batch;
    }

    private enum Turn {
        WAIT,
        LEAD,
        DONE
    }

    private static final class Call<A, R> {
        final A argument;
        final Thread thread = Thread.currentThread();
        volatile Turn turn = Turn.WAIT;
        // made visible by the volatile turn, which is written after and read before these fields
        @Nullable
        R result;

        @Nullable
        RuntimeException failure;

        Call(A argument) {
            this.argument = argument;
        }

        void take(Turn next) {
            turn = next;
            LockSupport.unpark(thread);
        }

        void awaitTurn() {
            boolean interrupted = false;
            while (turn == Turn.WAIT) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted(); // with the flag set, the next park would return at once
            }
            if (interrupted) {
                thread.interrupt();
            }
        }
    }

    R run(A argument) {
        Call<A, R> call = new Call<>(argument);
        enter(call);
        call.awaitTurn();
        if (call.turn == Turn.LEAD) {
            lead(call);
        }
        if (call.failure != null) {
            throw call.failure;
        }
        if (call.result == null) {
            throw new IllegalStateException("The batch returned too few results");
        }
        return call.result;
    }

    /** Number of calls waiting for a batch to end. */
    synchronized int waiting() {
        return waiting.size();
    }

    private synchronized void enter(Call<A, R> call) {
        if (busy) {
            waiting.add(call);
        } else {
            busy = true;
            call.turn = Turn.LEAD;
        }
    }

    private void lead(Call<A, R> leader) {
        List<Call<A, R>> calls = with(leader);
        try {
            List<R> results =
                    batch.apply(calls.stream().map(call -> call.argument).toList());
            for (int i = 0; i < calls.size(); i++) {
                calls.get(i).result = results.get(i);
            }
        } catch (RuntimeException e) {
            calls.forEach(call -> call.failure = e);
        } finally {
            next();
            calls.stream().filter(call -> call != leader).forEach(call -> call.take(Turn.DONE));
        }
    }

    private synchronized List<Call<A, R>> with(Call<A, R> leader) {
        List<Call<A, R>> calls = new ArrayList<>();
        calls.add(leader);
        while (calls.size() < most && !waiting.isEmpty()) {
            calls.add(waiting.remove());
        }
        return calls;
    }

    private synchronized void next() {
        Call<A, R> next = waiting.poll();
        if (next == null) {
            busy = false;
        } else {
            next.take(Turn.LEAD);
        }
    }
}
