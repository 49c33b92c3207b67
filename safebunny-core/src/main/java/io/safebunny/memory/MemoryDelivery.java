// SPDX-License-Identifier: Apache-2.0
package io.safebunny.memory;

import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;

/**
 * One delivery: assigned to a consumer, then handled by one task. Non-public methods except {@link #run} require the broker's
 * lock.
 */
final class MemoryDelivery implements Delivery {

    private final MemoryConsumption consumption;
    private final long position;

    private volatile IncomingMessage message;
    private volatile boolean settled;
    private boolean begun;
    private boolean running;

    MemoryDelivery(MemoryConsumption consumption, long position, IncomingMessage message) {
        this.consumption = consumption;
        this.position = position;
        this.message = message;
    }

    @Override
    public IncomingMessage message() {
        return message;
    }

    @Override
    public boolean isOpen() {
        return !settled;
    }

    @Override
    public void acknowledge() {
        consumption.settle(this, afterwards -> {});
    }

    @Override
    public void handBack() {
        consumption.settle(this, afterwards -> putBackTo(consumption.queue()));
    }

    @Override
    public void reject() {
        consumption.settle(this, afterwards -> consumption.queue().setAside(position, message, afterwards));
    }

    MemoryConsumption consumption() {
        return consumption;
    }

    /** Called by the broker's executor, without the lock. */
    void run() {
        consumption.handle(this);
    }

    /** @return whether the delivery was still unsettled */
    boolean settle() {
        boolean wasOpen = !settled;
        settled = true;
        return wasOpen;
    }

    /** @return false if it is settled, or was begun before */
    boolean begin() {
        if (settled || begun) {
            return false;
        }
        begun = true;
        running = true;
        return true;
    }

    void end() {
        running = false;
    }

    boolean isBegun() {
        return begun;
    }

    /** Lets it begin once more, marked as redelivered. */
    void beginAgain() {
        begun = false;
        message = MemoryQueue.redelivered(message);
    }

    boolean isRunning() {
        return running;
    }

    void putBackTo(MemoryQueue queue) {
        queue.putBack(position, message);
    }
}
