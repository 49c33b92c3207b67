// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

/** How fast a consumption takes deliveries. */
public enum Pace {
    /** Takes no deliveries. */
    PAUSED,
    /** Takes the next delivery when the previous one is settled. */
    ONE_BY_ONE,
    /** Takes up to {@code prefetch} deliveries at once. */
    FULL
}
