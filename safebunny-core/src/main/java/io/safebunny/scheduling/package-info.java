// SPDX-License-Identifier: Apache-2.0
/**
 * Messages that wait in the store and can be cancelled or moved: for each there is a document beside the records, which alone counts, and
 * an alarm that the broker delays. Also wakes overdue sagas and messages whose alarm was lost.
 */
@NullMarked
package io.safebunny.scheduling;

import org.jspecify.annotations.NullMarked;
