// SPDX-License-Identifier: Apache-2.0
/** Tells the build of a native image what an application with handlers needs at run time. Used only during that build. */
@NullMarked
package io.safebunny.autoconfigure.aot;

import org.jspecify.annotations.NullMarked;
