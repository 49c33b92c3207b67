// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.lease;

import io.safebunny.concurrency.SharedLock;
import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.failure.policy.Evidence;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.failure.policy.Treatment.Alone;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.time.Timeline;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a message that may be killing the process handled alone, so that messages beside it are not quarantined, too. Nobody waits longer than
 * a lease, and after a timeout other messages stop waiting: a handler that never returns must not block them. Thread-safe.
 */
final class SuspectLock {

    private static final Logger LOG = LoggerFactory.getLogger(SuspectLock.class);

    private final QuarantinePolicy quarantine;
    private final Duration lease;
    private final Duration comeBack;
    private final SharedLock lock;
    private final Hold entered;
    /** Set after a timeout: messages no longer wait, until one was handled alone again. */
    private volatile boolean overloaded;

    /** @param comeBack delay before retrying a message that could not get exclusive access */
    SuspectLock(QuarantinePolicy quarantine, Duration lease, Duration comeBack, Timeline timeline) {
        this.quarantine = quarantine;
        this.lease = lease;
        this.comeBack = comeBack;
        this.lock = new SharedLock(timeline);
        this.entered = lock::release;
    }

    /** Waits until the message may run. */
    Hold enter(MessageRecord claim) throws InterruptedException {
        boolean isolated = quarantine.decide(Evidence.ofRecord(claim.takeovers())) instanceof Alone;
        if (!isolated && overloaded) {
            return Hold.NONE;
        }
        if (isolated ? lock.acquireAlone(lease) : lock.acquireTogether(lease)) {
            if (isolated) {
                overloaded = false;
                LOG.warn(
                        "Handling message {} alone: {} claims of it in a row fell silent",
                        claim.key().messageId(),
                        claim.takeovers());
            }
            return entered;
        }
        overloaded = true;
        if (isolated) {
            throw NotHandledException.later(
                    "Message %s must be handled alone, but other handlers do not finish"
                            .formatted(claim.key().messageId()),
                    comeBack);
        }
        return Hold.NONE;
    }
}
