// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.failure.policy.Evidence;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.failure.policy.Treatment.Alone;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides which deliveries of a queue may be handled concurrently. If the broker counted failed deliveries of a message, the {@link
 * QuarantinePolicy} may isolate it: it is then handled alone, so that if it ends the process, the others do not come closer to their
 * delivery limit. For the same reason a new channel takes one message at a time until it receives one without failed deliveries.
 *
 * <p>Not thread-safe: guarded by the lock of its {@link WaitingLine}. The tasks that it schedules run without that lock.
 */
final class Isolation {

    private final QuarantinePolicy quarantine;
    private final int prefetch;
    private final Timeline timeline;
    private final Runnable waitedEnough;
    private final Consumer<RabbitDelivery> takesLong;

    private boolean cautious = true;
    private @Nullable RabbitDelivery isolated;
    private @Nullable Long waitsSince;
    private int isolatedWaiting;

    /**
     * @param quarantine decides which deliveries are isolated, and how long they wait
     * @param prefetch how many others are handled at once
     * @param waitedEnough runs when an isolated delivery has waited long enough for the others to finish
     * @param takesLong called when an isolated delivery has run for as long as others wait for it
     */
    Isolation(
            QuarantinePolicy quarantine,
            int prefetch,
            Timeline timeline,
            Runnable waitedEnough,
            Consumer<RabbitDelivery> takesLong) {
        this.quarantine = quarantine;
        this.prefetch = prefetch;
        this.timeline = timeline;
        this.waitedEnough = waitedEnough;
        this.takesLong = takesLong;
    }

    /** How the delivery is isolated; {@code null} if it may run concurrently with others. */
    private @Nullable Alone alone(RabbitDelivery delivery) {
        Evidence known = Evidence.ofBroker(delivery.message().deliveryCount());
        return quarantine.decide(known) instanceof Alone alone ? alone : null;
    }

    /** Call for a new channel: its first deliveries may be those that ended the process or the previous channel. */
    void beCautious() {
        cautious = true;
    }

    /** Whether to take one message at a time from the broker. */
    boolean isCautious() {
        return cautious;
    }

    /** Whether to take nothing more from the broker, because an isolated message is being handled or waiting. */
    boolean isInForce() {
        return isolated != null || isolatedWaiting > 0;
    }

    /** @param prefetch of the consumer that received it */
    void delivered(RabbitDelivery delivery, int prefetch) {
        if (alone(delivery) != null) {
            cautious = true;
            isolatedWaiting++;
        } else if (prefetch == 1) {
            cautious = false;
        }
    }

    /**
     * An isolated delivery waits for the others, but not for ever: some handlers never return.
     *
     * @param running how many are being handled
     */
    boolean mayBegin(RabbitDelivery next, int running) {
        Alone alone = alone(next);
        return alone == null ? isolated == null && running < prefetch : running == 0 || hasWaited(alone.patience());
    }

    private boolean hasWaited(Duration patience) {
        return waitsSince != null && timeline.nanoTime() - waitsSince >= patience.toNanos();
    }

    /** Call when this delivery is next in line, but must not begin yet. */
    void waits(RabbitDelivery next) {
        Alone alone = alone(next);
        if (alone != null && waitsSince == null) {
            // set before scheduling, because the wake-up comes only once
            waitsSince = timeline.nanoTime();
            timeline.schedule(alone.patience(), waitedEnough);
        }
    }

    void begins(RabbitDelivery next) {
        Alone alone = alone(next);
        if (alone != null) {
            timeline.schedule(alone.patience(), () -> takesLong.accept(next));
            isolated = next;
            waitsSince = null;
            isolatedWaiting--;
        }
    }

    void finished(RabbitDelivery delivery) {
        if (delivery.equals(isolated)) {
            isolated = null;
        }
    }

    /**
     * Call when others stop waiting for this delivery, because it has run for long without ending the process.
     *
     * @return false if the delivery was no longer isolated
     */
    boolean release(RabbitDelivery delivery) {
        boolean waited = delivery.equals(isolated);
        finished(delivery);
        return waited;
    }
}
