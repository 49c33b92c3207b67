// SPDX-License-Identifier: Apache-2.0
/**
 * The lane of an order key: which of its messages may run, and which wait in the store. Values, and their stored form. A lane is never free
 * while something is parked in it, because each write names the version of the lane that it has read.
 */
@NullMarked
package io.safebunny.order.lane;

import org.jspecify.annotations.NullMarked;
