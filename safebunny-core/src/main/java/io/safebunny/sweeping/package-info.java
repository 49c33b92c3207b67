// SPDX-License-Identifier: Apache-2.0
/** Wakes what is stored and overdue because the message that should have woken it is late. Knows neither sagas nor scheduled messages. */
@NullMarked
package io.safebunny.sweeping;

import org.jspecify.annotations.NullMarked;
