// SPDX-License-Identifier: Apache-2.0
/**
 * Pauses a message type for a while. Resilience4j keeps the failure rate; the consumption of the type is slowed down or paused accordingly.
 */
@NullMarked
package io.safebunny.breaker;

import org.jspecify.annotations.NullMarked;
