// SPDX-License-Identifier: Apache-2.0
/** Tells a native image what to keep of an application with handlers. Used only while the application is built. */
@NullMarked
package io.safebunny.autoconfigure.aot;

import org.jspecify.annotations.NullMarked;
