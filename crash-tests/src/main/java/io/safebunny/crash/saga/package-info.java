// SPDX-License-Identifier: Apache-2.0
/** The saga: an order comes from a desk, is worked on, and what that publishes comes back to the desk; and orders that a clerk places. */
@NullMarked
package io.safebunny.crash.saga;

import org.jspecify.annotations.NullMarked;
