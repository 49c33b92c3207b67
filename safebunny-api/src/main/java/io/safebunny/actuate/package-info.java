// SPDX-License-Identifier: Apache-2.0
/** What the actuator endpoints let an application decide. */
@NullMarked
package io.safebunny.actuate;

import org.jspecify.annotations.NullMarked;
