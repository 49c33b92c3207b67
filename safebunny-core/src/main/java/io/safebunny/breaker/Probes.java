// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

/** Messages handled one by one after a pause, to find out whether they succeed. Guarded by the breaker's lock. */
final class Probes {

    private static final float HALF = 50;

    private final int permitted;
    private final float limit;
    private int succeeded;
    private int failed;
    /** Number of probes that were let in since the breaker became half-open and have no result yet. */
    private int awaited;

    Probes(BreakerSettings settings) {
        this.permitted = settings.permittedNumberOfCallsInHalfOpenState();
        this.limit = settings.failureRateThreshold() > 0 ? settings.failureRateThreshold() : HALF;
    }

    /** Discards the results so far. */
    void forget() {
        succeeded = 0;
        failed = 0;
    }

    /** Stops waiting for the earlier probes. If one of them returns after all, its result counts. */
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

    /** Call when the message that was let in was not handled: another one must be the probe. */
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
