// SPDX-License-Identifier: Apache-2.0
/**
 * Has messages wait until they may begin to be handled. All instances of a node share one schedule for each type, in the store, of which each
 * instance leases as many slots as messages wait for one, shortly before their time.
 */
@NullMarked
package io.safebunny.rate.leasing;

import org.jspecify.annotations.NullMarked;
