// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.recovery.Evidence;
import io.safebunny.recovery.QuarantinePolicy;
import io.safebunny.recovery.Treatment.Alone;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which deliveries of a queue may be handled beside which, as the {@link QuarantinePolicy} decides by the broker's count. So that none uses up
 * the delivery limit of those beside it, the broker may also give only one message at a time on a new channel, until it gives one that is
 * above suspicion.
 *
 * <p>Not thread-safe: guarded by the lock of its {@link WaitingLine}. What it schedules runs without that lock.
 */
final class Isolation {

    private final QuarantinePolicy quarantine;
    private final int prefetch;
    private final Timeline timeline;
    private final Runnable outOfPatience;
    private final Consumer<RabbitDelivery> takesLong;

    private boolean cautious = true;
    private @Nullable RabbitDelivery suspect;
    private @Nullable Long waitsSince;
    private int suspectsWaiting;

    /**
     * @param quarantine says which is handled alone, and how long one waits
     * @param prefetch how many are handled at once where none is suspicious
     * @param outOfPatience run when a suspicious delivery has waited for as long as it does
     * @param takesLong told of a delivery that is handled alone for as long as others wait for it
     */
    Isolation(
            QuarantinePolicy quarantine,
            int prefetch,
            Timeline timeline,
            Runnable outOfPatience,
            Consumer<RabbitDelivery> takesLong) {
        this.quarantine = quarantine;
        this.prefetch = prefetch;
        this.timeline = timeline;
        this.outOfPatience = outOfPatience;
        this.takesLong = takesLong;
    }

    /** {@code null} when it may be handled beside others. */
    private @Nullable Alone alone(RabbitDelivery delivery) {
        Evidence known = Evidence.ofBroker(delivery.message().deliveryCount());
        return quarantine.decide(known) instanceof Alone alone ? alone : null;
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
        if (alone(delivery) != null) {
            cautious = true;
            suspectsWaiting++;
        } else if (prefetch == 1) {
            cautious = false;
        }
    }

    /** @param running how many are being handled */
    boolean mayBegin(RabbitDelivery next, int running) {
        Alone alone = alone(next);
        return alone == null
                ? suspect == null && running < prefetch
                : running == 0 || hasWaited(alone.patience()); // some handlers do not return
    }

    private boolean hasWaited(Duration patience) {
        return waitsSince != null && timeline.nanoTime() - waitsSince >= patience.toNanos();
    }

    /** It is next, but must not begin yet. */
    void waits(RabbitDelivery next) {
        Alone alone = alone(next);
        if (alone != null && waitsSince == null) {
            waitsSince =
                    timeline.nanoTime(); // set before scheduling: the call might come too early, and there is only one
            timeline.schedule(alone.patience(), outOfPatience);
        }
    }

    void begins(RabbitDelivery next) {
        Alone alone = alone(next);
        if (alone != null) {
            timeline.schedule(alone.patience(), () -> takesLong.accept(next));
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
     * It takes long, but has not ended the process: the others stop waiting for it.
     *
     * @return whether they did
     */
    boolean acquit(RabbitDelivery delivery) {
        boolean waited = delivery.equals(suspect);
        finished(delivery);
        return waited;
    }
}
