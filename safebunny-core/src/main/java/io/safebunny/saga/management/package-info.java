// SPDX-License-Identifier: Apache-2.0
/**
 * Looks after sagas when no message does: sends lost alarms again, counts, shows and repairs sagas, and notifies them of messages that were
 * set aside. Sagas are changed by messages to them; only the sweeper writes them itself.
 */
@NullMarked
package io.safebunny.saga.management;

import org.jspecify.annotations.NullMarked;
