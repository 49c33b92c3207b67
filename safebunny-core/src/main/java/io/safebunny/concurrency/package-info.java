// SPDX-License-Identifier: Apache-2.0
/**
 * Locks, permits and serial tasks that wait on a {@link io.safebunny.time.Timeline} instead of the system clock. Knows nothing
 * about messages.
 */
@NullMarked
package io.safebunny.concurrency;

import org.jspecify.annotations.NullMarked;
