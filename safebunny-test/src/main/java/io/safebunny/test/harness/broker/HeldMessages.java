// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Cancellable;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Holds delayed messages until they are due in virtual time, because a real broker only knows real time. Thread-safe. */
final class HeldMessages {

    private final Timeline timeline;
    private final List<Cancellable> timers = new ArrayList<>(); // guarded by this

    HeldMessages(Timeline timeline) {
        this.timeline = timeline;
    }

    /** @param release receives the message when it is due, without a delay */
    void hold(OutboundMessage message, Consumer<OutboundMessage> release) {
        Purpose purpose = message.route() instanceof Route.ToSubscribers ? Purpose.APPLICATION : Purpose.PROGRESS;
        OutboundMessage due = new OutboundMessage(message.message(), message.route(), Duration.ZERO);
        Cancellable[] own = new Cancellable[1];
        synchronized (this) { // locked, so that the timer cannot fire before it is in the list
            own[0] = timeline.schedule(purpose, message.delay(), () -> {
                forget(own);
                release.accept(due);
            });
            timers.add(own[0]);
        }
    }

    private synchronized void forget(Cancellable[] own) {
        timers.remove(own[0]);
    }

    synchronized void clear() {
        timers.forEach(Cancellable::cancel);
        timers.clear();
    }
}
