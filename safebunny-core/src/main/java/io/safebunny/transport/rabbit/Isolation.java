// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which deliveries of a queue may be handled beside which. A message that came back again and again may be what ended the
 * processes that handled it; it is handled alone, so that it does not use up the delivery limit of those beside it. For the same
 * reason the broker may give one message at a time on a new channel, until it gives one that is above suspicion.
 *
 * <p>Not thread-safe: guarded by the lock of its {@link Dispatcher}. What it schedules runs without that lock.
 */
final class Isolation {

    /** Failed deliveries after which a message may be the cause of its failures: a cut connection costs one or two. */
    static final int SUSPICIOUS = 3;

    /** How long a suspicious message waits for the others to finish, and how long they then wait for it. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private final int prefetch;
    private final Timeline timeline;
    private final Runnable outOfPatience;
    private final Consumer<RabbitDelivery> takesLong;

    private boolean cautious = true;
    private @Nullable RabbitDelivery suspect;
    private @Nullable Long waitsSince;
    private int suspectsWaiting;

    /**
     * @param prefetch how many are handled at once where none is suspicious
     * @param outOfPatience run when a suspicious delivery has waited for as long as it does
     * @param takesLong told of a delivery that is handled alone for as long as others wait for it
     */
    Isolation(int prefetch, Timeline timeline, Runnable outOfPatience, Consumer<RabbitDelivery> takesLong) {
        this.prefetch = prefetch;
        this.timeline = timeline;
        this.outOfPatience = outOfPatience;
        this.takesLong = takesLong;
    }

    private static boolean isSuspicious(RabbitDelivery delivery) {
        return delivery.message().deliveryCount() >= SUSPICIOUS;
    }

    /** What comes on a new channel may have ended the process, or the channel, before. */
    void beCautious() {
        cautious = true;
    }

    /** Whether the broker is to give one message at a time. */
    boolean isCautious() {
        return cautious;
    }

    /** Whether the broker is to give nothing, because a message is handled alone, or is going to be. */
    boolean isInForce() {
        return suspect != null || suspectsWaiting > 0;
    }

    /** @param prefetch of the consumer that brought it */
    void delivered(RabbitDelivery delivery, int prefetch) {
        if (isSuspicious(delivery)) {
            cautious = true;
            suspectsWaiting++;
        } else if (prefetch == 1) {
            cautious = false;
        }
    }

    /** @param running how many are being handled */
    boolean mayBegin(RabbitDelivery next, int running) {
        return isSuspicious(next) ? running == 0 || hasWaitedLongEnough() : suspect == null && running < prefetch;
    }

    /** Some handlers do not return. */
    private boolean hasWaitedLongEnough() {
        return waitsSince != null && timeline.nanoTime() - waitsSince >= PATIENCE.toNanos();
    }

    /** It is next, but must not begin yet. */
    void waits(RabbitDelivery next) {
        if (isSuspicious(next) && waitsSince == null) {
            timeline.schedule(PATIENCE, outOfPatience);
            waitsSince = timeline.nanoTime();
        }
    }

    void begins(RabbitDelivery next) {
        if (isSuspicious(next)) {
            timeline.schedule(PATIENCE, () -> takesLong.accept(next));
            suspect = next;
            waitsSince = null;
            suspectsWaiting--;
        }
    }

    void finished(RabbitDelivery delivery) {
        if (delivery.equals(suspect)) {
            suspect = null;
        }
    }

    /**
     * It takes long, but has not ended the process: the others wait for it no more.
     *
     * @return whether they did
     */
    boolean acquit(RabbitDelivery delivery) {
        boolean waited = delivery.equals(suspect);
        finished(delivery);
        return waited;
    }
}
