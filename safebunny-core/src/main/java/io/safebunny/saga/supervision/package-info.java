// SPDX-License-Identifier: Apache-2.0
/**
 * Looks after sagas when no message of theirs does: wakes and counts them, tells them what was set aside, shows and repairs them. Changes
 * a saga by messages to it, and only the sweeper writes one itself.
 */
@NullMarked
package io.safebunny.saga.supervision;

import org.jspecify.annotations.NullMarked;
