// SPDX-License-Identifier: Apache-2.0
/**
 * Work that is asked for rather than handed over: one run at a time, again later when there is no thread. In this room nothing
 * knows what the work is, and nothing blocks.
 */
@NullMarked
package io.safebunny.waiting;

import org.jspecify.annotations.NullMarked;
