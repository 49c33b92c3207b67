// SPDX-License-Identifier: Apache-2.0
/** Extension points of the actuator endpoints. */
@NullMarked
package io.safebunny.actuate;

import org.jspecify.annotations.NullMarked;
