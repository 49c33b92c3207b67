// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.store.record.MessageRecord;

/** Whose a message is when a delivery of it is about to be handled, as its record says. */
public sealed interface Claimed {

    /** This delivery's. */
    record Ours(Claim claim) implements Claimed {}

    /** It was handled, or undone: this is a duplicate. */
    record Done(MessageRecord record) implements Claimed {}

    /** Another delivery's for now; or the store does not say. */
    record Busy(NotHandledException why) implements Claimed {}

    /** It waits in the store for its turn among the messages with its order key, and is handled from there. */
    record Parked() implements Claimed {}

    /** Nobody's yet: another process has changed the lane of its order key, which is to be looked at again. */
    record LaneMoved() implements Claimed {}

    /** It was set aside, or is by this. */
    record SetAside(Poisoned ending) implements Claimed {}
}
