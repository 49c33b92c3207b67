// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import java.time.Instant;

/**
 * Sagas of one name that wait for the acknowledgement of an undo.
 *
 * @param count how many
 * @param oldest time of the last change of the saga that has waited longest, among the hundred sagas that were started first
 * @param late whether that is more than an hour ago, so that an operator should look: the participant may be gone, or its version may not
 *     acknowledge undos
 */
public record UndoingSagas(long count, Instant oldest, boolean late) {}
