// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import io.safebunny.test.scheduler.Agenda.Running;

/** A waiting task and its thread. Changed only by the thread that has the turn. */
final class Stack {

    final Running running;
    final Thread thread = Thread.currentThread();
    volatile boolean goesOn;
    boolean isReady;
    private final String why;

    /** @param why why the task waits, for reports */
    Stack(Running running, String why) {
        this.running = running;
        this.why = why;
    }

    @Override
    public String toString() {
        return running.process() + " " + why + Report.lines(thread);
    }
}
