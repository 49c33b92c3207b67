// SPDX-License-Identifier: Apache-2.0
/** Pauses a message type for a while; Resilience4j counts failures and probes, the consumption is paced accordingly. */
@NullMarked
package io.safebunny.breaker;

import org.jspecify.annotations.NullMarked;
