// SPDX-License-Identifier: Apache-2.0
/**
 * Handles what waits in lanes, from the store and in order. One lane runs on one instance, until that dies; then another finds the lane by the
 * time when it should have moved.
 */
@NullMarked
package io.safebunny.order.draining;

import org.jspecify.annotations.NullMarked;
