// SPDX-License-Identifier: Apache-2.0
/**
 * The saga: an order comes from a desk and is handled, and the handler's publications go back to the desk; and orders placed by a
 * clerk.
 */
@NullMarked
package io.safebunny.proof.saga;

import org.jspecify.annotations.NullMarked;
