// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.recovery.Evidence;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.QuarantinePolicy;
import io.safebunny.recovery.Treatment.Alone;
import io.safebunny.store.MessageRecord;
import io.safebunny.time.Timeline;
import io.safebunny.waiting.SharedLock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that a message suspected of killing the process is handled alone; otherwise innocent messages handled beside it
 * would come under suspicion too. Nobody waits longer than a lease, and once somebody has, other messages no longer wait: a
 * handler that never returns must not stop them. Thread-safe.
 */
final class SuspectLock {

    private static final Logger LOG = LoggerFactory.getLogger(SuspectLock.class);

    private final QuarantinePolicy quarantine;
    private final Duration lease;
    private final Duration comeBack;
    private final SharedLock lock;
    private final Runnable leave;
    /** Somebody waited for as long as one waits: the others do not, until the next that must be handled alone is. */
    private volatile boolean crowded;

    /** @param comeBack when a message is tried again that could not be alone */
    SuspectLock(QuarantinePolicy quarantine, Duration lease, Duration comeBack, Timeline timeline) {
        this.quarantine = quarantine;
        this.lease = lease;
        this.comeBack = comeBack;
        this.lock = new SharedLock(timeline);
        this.leave = lock::release;
    }

    /**
     * Waits until the message may be handled.
     *
     * @return lets the others go on; to be run in any case
     */
    Runnable enter(MessageRecord claim) throws InterruptedException {
        boolean suspicious = quarantine.decide(Evidence.ofRecord(claim.takeovers())) instanceof Alone;
        if (!suspicious && crowded) {
            return () -> {};
        }
        if (suspicious ? lock.acquireAlone(lease) : lock.acquireTogether(lease)) {
            if (suspicious) {
                crowded = false;
                LOG.warn(
                        "Handling message {} alone: {} claims of it in a row fell silent",
                        claim.key().messageId(),
                        claim.takeovers());
            }
            return leave;
        }
        crowded = true;
        if (suspicious) {
            throw NotHandledException.later(
                    "Message %s must be handled alone, but other handlers do not finish"
                            .formatted(claim.key().messageId()),
                    comeBack);
        }
        return () -> {};
    }
}
