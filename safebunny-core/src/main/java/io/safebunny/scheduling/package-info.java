// SPDX-License-Identifier: Apache-2.0
/**
 * Messages that wait in the store and can be cancelled or moved: each is a document beside the records and an alarm that the broker delays,
 * and only the document counts. Wakes what is overdue because its message got lost.
 */
@NullMarked
package io.safebunny.scheduling;

import org.jspecify.annotations.NullMarked;
