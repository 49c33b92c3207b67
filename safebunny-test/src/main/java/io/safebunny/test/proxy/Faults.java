// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import io.safebunny.test.proxy.FrameRule.Verdict;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** One-time faults, shared by all connections of a proxy. Thread-safe. */
final class Faults {

    private final AtomicBoolean confirm = new AtomicBoolean();
    private final AtomicBoolean acknowledgement = new AtomicBoolean();
    private final AtomicInteger publishes = new AtomicInteger();

    void armConfirm() {
        confirm.set(true);
    }

    void armAcknowledgement() {
        acknowledgement.set(true);
    }

    void armPublishes(int n) {
        publishes.set(n);
    }

    boolean areArmed() {
        return confirm.get() || acknowledgement.get() || countsPublishes();
    }

    boolean countsPublishes() {
        return publishes.get() > 0;
    }

    /** @return whether this publication is the last one that may pass */
    boolean countPublish() {
        return publishes.getAndUpdate(left -> Math.max(0, left - 1)) == 1;
    }

    /** The rule for the frames that the broker sends on one connection. */
    FrameRule ofBroker() {
        return frame -> cutBeforeAck(frame, confirm);
    }

    /** The rule for the frames that the client sends on one connection. */
    FrameRule ofClient() {
        Publications publications = new Publications(this);
        return frame -> publications.completedBy(frame) && countPublish()
                ? Verdict.CUT_AFTER
                : cutBeforeAck(frame, acknowledgement);
    }

    private static Verdict cutBeforeAck(Frame frame, AtomicBoolean armed) {
        return frame.isMethod(Frame.ACK) && armed.compareAndSet(true, false) ? Verdict.CUT_BEFORE : Verdict.PASS;
    }
}
