// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import org.jspecify.annotations.Nullable;

/**
 * What the handling of one message has left. Immutable.
 *
 * @param preceding number of the last message of the key whose effect was there when it began, -1 for none; {@code null} if that is not known
 */
record Effect(
        String process, String key, int number, @Nullable Integer preceding) {}
