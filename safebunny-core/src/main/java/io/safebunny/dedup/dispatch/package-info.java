// SPDX-License-Identifier: Apache-2.0
/** Sends what handled messages have published, marks them as dispatched, and sweeps up what crashes left behind. Claims nothing. */
@NullMarked
package io.safebunny.dedup.dispatch;

import org.jspecify.annotations.NullMarked;
