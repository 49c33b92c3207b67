// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.PoisonMessageException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.Map;
import java.util.Random;

/**
 * Instances end between any two operations, handlers run within each other's operations, answers of the store get lost, and messages
 * come twice or, if they are alarms, not at all. Confined to one thread.
 */
final class Chaos implements Fate {

    private final World world;
    private final Random random;
    private final Map<String, Integer> seen;
    private int depth;
    private boolean calm = true;

    Chaos(World world, Random random, Map<String, Integer> seen) {
        this.world = world;
        this.random = random;
        this.seen = seen;
    }

    void calm(boolean other) {
        calm = other;
    }

    /** Does something during which nothing goes wrong. */
    void calmly(Runnable action) {
        boolean before = calm;
        calm = true;
        action.run();
        calm = before;
    }

    boolean chance(int oneIn) {
        return !calm && random.nextInt(oneIn) == 0;
    }

    void count(String what) {
        seen.merge(what, 1, Integer::sum);
    }

    /** Called by handlers. */
    void trouble() {
        if (chance(12)) {
            throw new IllegalStateException("not now");
        }
        if (chance(20)) {
            throw new PoisonMessageException("never");
        }
    }

    /** Runs one of the tasks that may run, if there is any. */
    boolean next() {
        depth++;
        try {
            return world.runNext();
        } finally {
            depth--;
        }
    }

    void advance(Duration by) {
        depth++;
        try {
            world.timeline().advance(by);
        } finally {
            depth--;
        }
    }

    @Override
    public void reached(Instance instance) {
        if (depth > 0 && chance(300)) {
            count("crashes");
            instance.die();
        } else if (depth == 1 && chance(15)) {
            count("interruptions");
            next();
        }
    }

    @Override
    public void beforeWrite() {
        if (depth > 0 && chance(150)) {
            count("lost requests");
            throw new StoreUnavailableException("no answer", null, null);
        }
    }

    @Override
    public void afterWrite() {
        if (depth > 0 && chance(150)) {
            count("lost answers");
            throw new StoreUnavailableException("no answer", null, null);
        }
    }

    @Override
    public int arrivals(OutboundMessage message) {
        if (chance(12)) {
            count("duplicates");
            return 2;
        }
        if (isAlarm(message) && chance(5)) {
            count("lost alarms");
            return 0;
        }
        return 1;
    }

    /** Not a retry of one: that it is lost is noticed only after as long as retries may take. */
    private static boolean isAlarm(OutboundMessage message) {
        return !message.delay().isZero()
                && message.route() instanceof Route.ToSubscribers
                && "BunnyTimeout".equals(message.message().type());
    }
}
