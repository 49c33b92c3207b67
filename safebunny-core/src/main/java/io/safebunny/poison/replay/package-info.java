// SPDX-License-Identifier: Apache-2.0
/**
 * Lists, replays, discards, restores and edits the copies in the node's poison queue. The stored record of each message decides what a replay
 * would do; a copy is removed only after the broker has confirmed the one that was sent.
 */
@NullMarked
package io.safebunny.poison.replay;

import org.jspecify.annotations.NullMarked;
