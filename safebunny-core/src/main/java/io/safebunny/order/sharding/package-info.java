// SPDX-License-Identifier: Apache-2.0
/**
 * Divides the messages of an ordered type among queues by their keys. One instance at a time forwards them; each queue is handled by one
 * instance. Their number is kept in the store, and changes only when nothing is left of what was forwarded before.
 */
@NullMarked
package io.safebunny.order.sharding;

import org.jspecify.annotations.NullMarked;
