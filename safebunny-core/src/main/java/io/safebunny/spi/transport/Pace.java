// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

/** How fast a consumption takes deliveries. */
public enum Pace {
    /** Takes none. */
    PAUSED,
    /** Takes the next one when the one before is settled. */
    ONE_BY_ONE,
    /** Has up to {@code prefetch} at once. */
    FULL
}
