// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.supervision;

import java.time.Instant;

/**
 * The sagas of one name that wait for the acknowledgement of an undo.
 *
 * @param count how many
 * @param oldest since when the one has not changed that waits longest, among the hundred that were started first
 * @param late whether that is so long ago that a person should look: the participant may be gone, or be too old to acknowledge
 */
public record UndoingSagas(long count, Instant oldest, boolean late) {}
