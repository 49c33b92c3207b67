// SPDX-License-Identifier: Apache-2.0
/**
 * Messages that wait in the store and can be cancelled or moved: a document beside the records, an alarm that the broker delays, and
 * the rule that only what the document says counts. Wakes what is overdue because its message got lost.
 */
@NullMarked
package io.safebunny.scheduling;

import org.jspecify.annotations.NullMarked;
