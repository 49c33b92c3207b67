// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;

/**
 * A request to replay, discard or restore copies. Immutable.
 *
 * @param filter which copies
 * @param perSecond maximum rate in copies per second; 0 for as fast as the broker confirms
 * @param dryRun whether to determine the verdicts only, without moving anything
 * @param forced whether a replay also moves copies older than the retention, for which nobody knows whether they were handled
 *     before; and what its saga may not want any more ({@link Verdict#UNWANTED}, {@link Verdict#UNSURE}), but only if the filter has
 *     that verdict or a single message id; ignored by other operations
 * @param by who asks, for the log; made printable, at most 100 characters
 * @param reason why, for the log; made printable, at most 500 characters
 */
public record PoisonRequest(
        PoisonFilter filter, double perSecond, boolean dryRun, boolean forced, String by, String reason) {

    private static final int FASTEST = 100_000;
    private static final int LONGEST_NAME = 100;
    private static final int LONGEST_REASON = 500;

    public PoisonRequest {
        if (!(perSecond >= 0 && perSecond <= FASTEST)) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "Invalid rate of an operation on poison messages [perSecond=%s]: it must be 0, for no limit, to %s messages a second."
                            .formatted(perSecond, FASTEST));
        }
        if (reason.isBlank() || by.isBlank()) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "Missing %s of an operation on poison messages: it must say who asks for it and why. Both are logged with every message that is moved."
                            .formatted(by.isBlank() ? "name" : "reason"));
        }
        by = Names.printable(by, LONGEST_NAME);
        reason = Names.printable(reason, LONGEST_REASON);
    }

    /** All matching copies, as fast as the broker confirms. */
    public static PoisonRequest of(PoisonFilter filter, String by, String reason) {
        return new PoisonRequest(filter, 0, false, false, by, reason);
    }

    public PoisonRequest atRate(double messagesPerSecond) {
        return new PoisonRequest(filter, messagesPerSecond, dryRun, forced, by, reason);
    }

    public PoisonRequest asDryRun() {
        return new PoisonRequest(filter, perSecond, true, forced, by, reason);
    }

    public PoisonRequest withForce() {
        return new PoisonRequest(filter, perSecond, dryRun, true, by, reason);
    }
}
