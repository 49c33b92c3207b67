// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import io.safebunny.test.scheduler.Agenda.Running;

/** A task that waits, and the thread that it has. Whoever has the turn changes it. */
final class Stack {

    final Running running;
    final Thread thread = Thread.currentThread();
    volatile boolean goesOn;
    boolean isReady;
    private final String why;

    /** @param why it waits, for reports */
    Stack(Running running, String why) {
        this.running = running;
        this.why = why;
    }

    @Override
    public String toString() {
        return running.process() + " " + why + Report.lines(thread);
    }
}
