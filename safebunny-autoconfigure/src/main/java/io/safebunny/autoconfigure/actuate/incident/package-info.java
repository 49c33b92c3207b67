// SPDX-License-Identifier: Apache-2.0
/** Tests of what failed, for those who may see what is in them. */
@NullMarked
package io.safebunny.autoconfigure.actuate.incident;

import org.jspecify.annotations.NullMarked;
