// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.supervision;

import java.time.Instant;

/**
 * Sagas of one name that wait for the acknowledgement of an undo.
 *
 * @param count how many
 * @param oldest when the saga that has waited longest last changed, looking at the hundred that were started first
 * @param late whether that is more than an hour ago, so that a person should look: the participant may be gone, or be of a version that
 *     does not acknowledge undos
 */
public record UndoingSagas(long count, Instant oldest, boolean late) {}
