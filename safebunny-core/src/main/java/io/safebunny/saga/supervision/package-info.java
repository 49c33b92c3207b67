// SPDX-License-Identifier: Apache-2.0
/**
 * Looks after sagas that no message moves: sends lost alarms again, counts, shows and repairs sagas, and tells them which messages were set
 * aside. Sagas are changed by messages to them; only the sweeper writes them itself.
 */
@NullMarked
package io.safebunny.saga.supervision;

import org.jspecify.annotations.NullMarked;
