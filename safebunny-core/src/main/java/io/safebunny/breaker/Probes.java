// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

/** Messages that are handled one by one after a pause, to see whether they succeed. Used under the lock of its breaker. */
final class Probes {

    private static final float HALF = 50;

    private final int permitted;
    private final float limit;
    private int succeeded;
    private int failed;
    /** Without a result, let in since the breaker was last half-open. */
    private int awaited;

    Probes(BreakerSettings settings) {
        this.permitted = settings.permittedNumberOfCallsInHalfOpenState();
        this.limit = settings.failureRateThreshold() > 0 ? settings.failureRateThreshold() : HALF;
    }

    /** Results so far count no more. */
    void forget() {
        succeeded = 0;
        failed = 0;
    }

    /** Nobody waits for those any more that have not returned; when they do after all, they count. */
    void begin() {
        awaited = 0;
    }

    int awaited() {
        return awaited;
    }

    boolean isRoom() {
        return awaited < permitted - succeeded - failed;
    }

    void letIn() {
        awaited++;
    }

    void returned(boolean success) {
        wasNone();
        succeeded += success ? 1 : 0;
        failed += success ? 0 : 1;
    }

    /** The message was not handled: another one has to tell. */
    void wasNone() {
        awaited = Math.max(0, awaited - 1);
    }

    boolean areDone() {
        return succeeded + failed >= permitted;
    }

    float percent() {
        return 100f * failed / permitted;
    }

    boolean haveFailed() {
        return percent() >= limit;
    }

    @Override
    public String toString() {
        return failed + " of " + permitted + " probes failed";
    }
}
