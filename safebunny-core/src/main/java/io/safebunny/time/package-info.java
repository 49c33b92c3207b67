// SPDX-License-Identifier: Apache-2.0
/** Time as a dependency: clock, waiting and scheduling. Nothing else in this library asks the system for the time. */
@NullMarked
package io.safebunny.time;

import org.jspecify.annotations.NullMarked;
