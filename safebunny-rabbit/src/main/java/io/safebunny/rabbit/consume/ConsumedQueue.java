// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.recovery.QuarantinePolicy;

/**
 * A queue and how it is consumed. Immutable.
 *
 * @param prefetch maximum number of deliveries handled at once
 * @param countsDeliveries whether the broker counts failed deliveries of this queue (quorum queues)
 * @param quarantine decides which deliveries are isolated, and for how long others wait for them
 */
record ConsumedQueue(String name, int prefetch, boolean countsDeliveries, QuarantinePolicy quarantine) {}
